/**
 * A page of a list, for any filter, after a bounded search.
 *
 * The next rows are checked first, which is enough for most lists. After that, the index says which rows may match
 * (candidates.ts). Rows that changed since they were indexed count as candidates. If there are too many of those, rows
 * are checked one after the other.
 *
 * Invariants: a row is returned if and only if `matches` accepts it, as read when it is returned; at its limits the
 * search answers with what it has and where to continue.
 */
import { setImmediate } from 'node:timers/promises';
import { Candidates } from './candidates.ts';
import { type Listed, type ListPage, type ListQuery, matches } from './list-filter.ts';
import type { ListSource } from './list-tables.ts';
import { BLOCK_ROWS, blockOf } from './row-set.ts';

/** How far a search goes before it answers. */
export interface ListBounds {
  /** Rows that are checked in order before the index is used. */
  firstLook: number;
  /** Rows that are read at once. */
  chunk: number;
  /** A row costs about 5 µs. */
  lookedAt: number;
  /** Parts of the index, see candidates.ts. */
  windows: number;
  /** Rows that changed since they were indexed. */
  unindexed: number;
}

const BOUNDS: ListBounds = { firstLook: 200, chunk: 200, lookedAt: 3000, windows: 24, unindexed: 5000 };
const PAGE = 100;

export async function listPage(
  source: ListSource,
  query: ListQuery,
  bounds: Partial<ListBounds> = {},
): Promise<ListPage> {
  const start = await startOf(source, query);
  if (start === undefined) return { executions: [] };
  return new Search(source, query, { ...BOUNDS, ...bounds }, start).page();
}

/** The first number that a page may contain. Undefined: no row has the cursor's id. */
async function startOf(source: ListSource, { before, order }: ListQuery): Promise<number | undefined> {
  if (before === undefined) return order === 'oldest' ? 0 : Number.MAX_SAFE_INTEGER;
  const no = await source.numberOf(before);
  return no === undefined ? undefined : no + (order === 'oldest' ? 1 : -1);
}

class Search {
  private readonly found: Listed[] = [];
  private readonly step: 1 | -1;
  private readonly limit: number;
  private looked = 0;
  private last: Listed | undefined;

  constructor(
    private readonly source: ListSource,
    private readonly query: ListQuery,
    private readonly bounds: ListBounds,
    /** The next number to check. */
    private at: number,
  ) {
    this.step = query.order === 'oldest' ? 1 : -1;
    this.limit = query.limit ?? PAGE;
  }

  async page(): Promise<ListPage> {
    if (await this.scan(this.bounds.firstLook)) return this.ended();
    if (this.isFull) return this.unended();
    const changed = await this.source.unindexed(this.bounds.unindexed);
    return changed === undefined ? this.scanOn() : this.searchIndex(changed);
  }

  private get isFull(): boolean {
    return this.found.length >= this.limit;
  }

  private async scanOn(): Promise<ListPage> {
    while (!this.isFull && this.looked < this.bounds.lookedAt) {
      if (await this.scan(this.bounds.chunk)) return this.ended();
      await setImmediate();
    }
    return this.unended();
  }

  private async searchIndex(changed: readonly number[]): Promise<ListPage> {
    const end = this.step === 1 ? await this.newest() : 0;
    const candidates = new Candidates(this.source, this.query, changed);
    for (let windows = 0; (end - this.at) * this.step >= 0; windows++) {
      if (windows === this.bounds.windows || candidates.isTired) return this.unended(await this.rowBefore());
      const last = this.windowEnd(candidates.window, end);
      const numbers = await candidates.between(Math.min(this.at, last), Math.max(this.at, last));
      if (!(await this.look(this.step === 1 ? numbers : numbers.reverse()))) return this.unended();
      if (this.isFull) return this.unended();
      this.at = last + this.step;
      if (numbers.length === 0) this.at = (await this.next())?.no ?? end + this.step;
      await setImmediate();
    }
    return this.ended();
  }

  /** The last number of the window that begins here. */
  private windowEnd(blocks: number, end: number): number {
    const block = blockOf(this.at) + this.step * (blocks - 1);
    return this.step === 1 ? Math.min(end, (block + 1) * BLOCK_ROWS - 1) : Math.max(end, block * BLOCK_ROWS);
  }

  /** Numbers may have gaps of any length. */
  private async next(): Promise<Listed | undefined> {
    const [row] = await this.source.scan(this.at, this.query.order ?? 'newest', 1);
    return row;
  }

  private async newest(): Promise<number> {
    const [row] = await this.source.scan(Number.MAX_SAFE_INTEGER, 'newest', 1);
    return row?.no ?? 0;
  }

  /** The last row before the current position of the search: the cursor if no row was checked for long. */
  private async rowBefore(): Promise<Listed | undefined> {
    const order = this.step === 1 ? 'newest' : 'oldest';
    const [row] = await this.source.scan(this.at - this.step, order, 1);
    return row;
  }

  /** True: there are no more rows. */
  private async scan(count: number): Promise<boolean> {
    const rows = await this.source.scan(this.at, this.query.order ?? 'newest', count);
    const isAll = this.take(rows);
    if (this.last !== undefined) this.at = this.last.no + this.step;
    return isAll && rows.length < count;
  }

  /** False: the page is full, or enough rows were checked. */
  private async look(numbers: readonly number[]): Promise<boolean> {
    const { chunk } = this.bounds;
    for (let from = 0; from < numbers.length; from += chunk) {
      if (this.isFull || this.looked >= this.bounds.lookedAt) return false;
      const rows = await this.source.rows(numbers.slice(from, from + chunk));
      rows.sort((a, b) => (a.no - b.no) * this.step);
      if (!this.take(rows)) return false;
    }
    return true;
  }

  /** False: the page was full before the last of them. */
  private take(rows: readonly Listed[]): boolean {
    for (const row of rows) {
      if (this.isFull) return false;
      this.looked += 1;
      this.last = row;
      if (matches(row, this.query)) this.found.push(row);
    }
    return true;
  }

  private ended(): ListPage {
    return { executions: this.found.map(({ row }) => row) };
  }

  private unended(cursor = this.last): ListPage {
    return cursor === undefined ? this.ended() : { ...this.ended(), next: cursor.row.execution_id };
  }
}
