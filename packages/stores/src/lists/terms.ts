/**
 * The terms under which the index stores rows, and those that a filter looks up.
 *
 * Invariant: a row that matches a filter is stored under a term of each of the filter's groups. The converse need not
 * hold: `matches` decides. Terms that may change (the status) are removed when a row is indexed again.
 */
import type { ExecutionRow } from '../store.ts';
import { isAsking, type Listed, type ListFilter, textsOf } from './list-filter.ts';

const GRAM = 3;
/** More grams per row would make the index larger than the data. */
const MOST_GRAMS = 1000;
/** For a long text, a few grams find what all of them would. */
const MOST_LOOKED_UP = 6;
/** Rows with more text than is indexed: each is checked. */
const MUCH_TEXT = 'm';
const STATUSES = ['running', 'paused', 'needs_human', 'succeeded', 'failed', 'cancelled'] as const;
const ASKING = 'h';
const ROOT = 'r';

export const PASSING_TERMS: readonly string[] = [...STATUSES.map((status) => `s${status}`), ASKING];

/** The grams of texts that many rows share, such as names. */
export class GramCache {
  private readonly known = new Map<string, string[]>();

  of(text: string): string[] {
    const known = this.known.get(text) ?? gramsOf(text).map((gram) => `q${gram}`);
    this.known.set(text, known);
    return known;
  }
}

export function termsOf({ row, inputs }: Omit<Listed, 'no'>, grams = new GramCache()): Set<string> {
  const terms = new Set([`s${row.status}`, `k${row.kind}`, `n${row.name}`]);
  if (row.path !== undefined) terms.add(`p${row.path}`);
  terms.add(row.parent ? `c${row.parent}` : ROOT);
  if (isAsking(row)) terms.add(ASKING);
  for (const [key, value] of Object.entries(inputs ?? {})) terms.add(inputTerm(key, value));
  addGrams(terms, row, grams);
  return terms;
}

/** A row must be under at least one term of every group. */
export function termGroups(filter: ListFilter): string[][] {
  const groups: string[][] = [];
  if (filter.status !== undefined) groups.push(filter.status.map((status) => `s${status}`));
  if (filter.kind !== undefined) groups.push([`k${filter.kind}`]);
  if (filter.name !== undefined) groups.push([`n${filter.name}`]);
  if (filter.path !== undefined) groups.push([`p${filter.path}`]);
  if (filter.parent !== undefined) groups.push([`c${filter.parent}`]);
  if (filter.roots) groups.push([ROOT]);
  if (filter.asking) groups.push([ASKING]);
  for (const [key, value] of Object.entries(filter.workload ?? {})) groups.push([inputTerm(key, value)]);
  return groups;
}

/** Like `termGroups`, for a text that is not searched for in ids. Undefined: it is too short to look up. */
export function textGroups(q: string): string[][] | undefined {
  const grams = gramsOf(q.toLowerCase());
  if (grams.length === 0) return undefined;
  const step = Math.max(1, (grams.length - 1) / (MOST_LOOKED_UP - 1));
  const chosen = new Set<string>();
  for (let at = 0; Math.round(at) < grams.length; at += step) chosen.add(grams[Math.round(at)]!);
  return [...chosen].map((gram) => [`q${gram}`, MUCH_TEXT]);
}

function inputTerm(key: string, value: string): string {
  return `w${key}=${value}`;
}

function addGrams(terms: Set<string>, row: ExecutionRow, grams: GramCache): void {
  const most = terms.size + MOST_GRAMS;
  for (const text of textsOf(row)) {
    for (const term of grams.of(text)) {
      if (terms.size >= most) return void terms.add(MUCH_TEXT);
      terms.add(term);
    }
  }
}

function gramsOf(text: string): string[] {
  const grams: string[] = [];
  for (let at = 0; at + GRAM <= text.length; at++) grams.push(text.slice(at, at + GRAM));
  return grams;
}
