/**
 * Owns: "did you mean", for every room. Bounded: long words and long lists are not compared.
 *
 * Returns the known word that a person most likely meant, or undefined if none is close: at most two slips, and at most
 * one per three letters. Two swapped letters are one slip. So are a prefix, extra text at the end, and the right
 * letters in any order.
 */
const MAX_WORD = 60;
const MAX_CANDIDATES = 500;
const MAX_SLIPS = 2;

export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const near = nearest(word, known);
  return near === undefined ? undefined : `did you mean "${near}"?`;
}

export function nearest(word: string, known: Iterable<string>): string | undefined {
  if (word.length === 0 || word.length > MAX_WORD) return undefined;
  let best: string | undefined;
  let bestDistance = MAX_SLIPS + 1;
  let compared = 0;
  for (const candidate of known) {
    if (++compared > MAX_CANDIDATES) break;
    if (candidate === word || candidate.length > MAX_WORD) continue;
    const distance = slips(word.toLowerCase(), candidate.toLowerCase());
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

function slips(word: string, candidate: string): number {
  const isBeginning = word.length > 1 && candidate.startsWith(word);
  // `description` for `desc`: many letters apart, but obvious to a reader.
  const isLonger = candidate.length >= 4 && word.startsWith(candidate);
  if (isBeginning || isLonger || lettersOf(word) === lettersOf(candidate)) return 1;
  const distance = editDistance(word, candidate);
  return distance * 3 > Math.max(word.length, candidate.length) ? Number.POSITIVE_INFINITY : distance;
}

const lettersOf = (word: string): string => [...word].sort().join('');

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
