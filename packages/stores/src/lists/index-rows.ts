/**
 * Updates the index of lists: takes rows that changed since, and adds them under their terms, block by block. No commit
 * waits for it. If several processes do so at once, one succeeds and the others have no effect.
 */
import { addMarks, noMarks } from './id-marks.ts';
import type { Listed } from './list-filter.ts';
import type { Block, IndexTables, Posting } from './list-tables.ts';
import { blockOf, encodedPlaces, placeOf, RowSet } from './row-set.ts';
import { GramCache, PASSING_TERMS, termsOf } from './terms.ts';

/** About 15 ms of work. Smaller batches would write the same terms more often. */
const MOST_AT_ONCE = 500;
/** Rows whose terms are computed in one go, about 1 ms of work: the rest of the process runs in between. */
const READ_AT_ONCE = 50;

/** Indexes some rows, if at least `atLeast` are waiting. True: there are more. */
export async function indexRows(tables: IndexTables, atLeast = 1): Promise<boolean> {
  const waiting = await tables.unindexed(atLeast - 1);
  if (waiting !== undefined) return false;
  const from = await tables.watermark();
  const rows = await tables.changedAfter(from, MOST_AT_ONCE);
  const last = rows.at(-1);
  if (last === undefined) return false;
  await nextTurn();
  const byBlock = groupedByBlock(rows);
  const blocks = new Map((await tables.blocks([...byBlock.keys()])).map((block) => [block.block, block]));
  const postings: Posting[] = [];
  for (const [block, members] of byBlock) {
    blocks.set(block, withRows(blocks.get(block) ?? emptyBlock(block), members));
    postings.push(...(await changedPostings(tables, block, members)));
  }
  await nextTurn();
  const to = { changed: last.changed, no: last.no };
  const isSaved = await tables.saveIndex(from, to, postings, [...blocks.values()]);
  return isSaved && rows.length === MOST_AT_ONCE;
}

function groupedByBlock(rows: readonly Listed[]): Map<number, Listed[]> {
  const blocks = new Map<number, Listed[]>();
  for (const row of rows) {
    const members = blocks.get(blockOf(row.no)) ?? [];
    blocks.set(blockOf(row.no), members);
    members.push(row);
  }
  return blocks;
}

async function changedPostings(
  tables: IndexTables,
  block: number,
  rows: readonly Listed[],
): Promise<Posting[]> {
  const places = await placesByTerm(rows);
  const known = await tables.postings([...new Set([...PASSING_TERMS, ...places.keys()])], [block]);
  await nextTurn();
  const sets = new Map(known.map((posting) => [posting.term, RowSet.decode(posting.rows)]));
  for (const term of PASSING_TERMS) for (const { no } of rows) sets.get(term)?.remove(placeOf(no));
  const postings: Posting[] = [];
  for (const [term, added] of places) {
    const set = sets.get(term);
    for (const place of added) set?.add(place);
    if (set === undefined) postings.push({ term, block, rows: encodedPlaces(added) });
  }
  for (const [term, set] of sets) postings.push({ term, block, rows: set.encode() });
  return postings;
}

async function placesByTerm(rows: readonly Listed[]): Promise<Map<string, number[]>> {
  const places = new Map<string, number[]>();
  const grams = new GramCache();
  const sorted = [...rows].sort((a, b) => a.no - b.no);
  for (const [index, row] of sorted.entries()) {
    if (index > 0 && index % READ_AT_ONCE === 0) await nextTurn();
    for (const term of termsOf(row, grams)) {
      const known = places.get(term);
      if (known === undefined) places.set(term, [placeOf(row.no)]);
      else known.push(placeOf(row.no));
    }
  }
  return places;
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function emptyBlock(block: number): Block {
  const times = { started_from: null, started_to: null, ended_from: null, ended_to: null };
  return { block, ...times, ids: noMarks() };
}

function withRows(block: Block, rows: readonly Listed[]): Block {
  const ids = Uint8Array.from(block.ids);
  const widened = { ...block, ids };
  for (const { row } of rows) {
    addMarks(ids, row.execution_id);
    widened.started_from = least(widened.started_from, row.started_at);
    widened.started_to = most(widened.started_to, row.started_at);
    widened.ended_from = least(widened.ended_from, row.ended_at);
    widened.ended_to = most(widened.ended_to, row.ended_at);
  }
  return widened;
}

function least(known: number | null, time: number | undefined): number | null {
  if (time === undefined) return known;
  return known === null ? time : Math.min(known, time);
}

function most(known: number | null, time: number | undefined): number | null {
  if (time === undefined) return known;
  return known === null ? time : Math.max(known, time);
}
