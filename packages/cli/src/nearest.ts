/** The known word that a person most likely meant; none where nothing is near. */
const MAX_WORD = 60;

export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD) return undefined;
  let best: string | undefined;
  let bestDistance = word.length < 3 ? 2 : 3;
  for (const candidate of known) {
    const distance = candidate.startsWith(word) && word.length > 1 ? 1 : editDistance(word, candidate);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + change));
    }
    previous = row;
  }
  return previous[b.length]!;
}
