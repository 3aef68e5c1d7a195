/**
 * The known word that a person most likely meant; none where nothing is really near: at most two slips, and at most one
 * in three letters. Two letters in the wrong order are one slip.
 */
const MAX_WORD = 60;
const MAX_SLIPS = 2;

export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > MAX_WORD) return undefined;
  let best: string | undefined;
  let bestDistance = MAX_SLIPS + 1;
  for (const candidate of known) {
    const isBeginning = candidate.startsWith(word) && word.length > 1;
    const distance = isBeginning ? 1 : editDistance(word, candidate);
    const isFar = !isBeginning && distance * 3 > Math.max(word.length, candidate.length);
    if (isFar || distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? beforePrevious[j - 2]! + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + change, swapped));
    }
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.length]!;
}
