/** The rules of a budget, without page or runtime. An entry is { what, amount, kind }. */
export const KINDS = ['home', 'food', 'travel', 'other'];

/** Links may come from anyone, so only lists of complete entries are accepted. */
export function isEntries(value) {
  return Array.isArray(value) && value.every(isEntry);
}

function isEntry(entry) {
  return (
    typeof entry?.what === 'string' &&
    Number.isFinite(entry.amount) &&
    entry.amount > 0 &&
    KINDS.includes(entry.kind)
  );
}

/** Sums by kind, as a Map in the order of KINDS. */
export function sumsOf(entries) {
  const sums = new Map(KINDS.map((kind) => [kind, 0]));
  for (const { kind, amount } of entries) sums.set(kind, sums.get(kind) + amount);
  return sums;
}

export function leftOf(income, sums) {
  const spent = [...sums.values()].reduce((total, sum) => total + sum, 0);
  return Math.round(((income || 0) - spent) * 100) / 100;
}
