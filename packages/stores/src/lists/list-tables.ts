/** What lists need of a database. */
import type { Listed, ListOrder } from './list-filter.ts';

/** The rows of a block that stand under a term, encoded as a `RowSet`. */
export interface Posting {
  term: string;
  block: number;
  rows: Uint8Array;
}

/** Between which times the rows of a block started, and ended; null where none did. */
export interface BlockTimes {
  started_from: number | null;
  started_to: number | null;
  ended_from: number | null;
  ended_to: number | null;
}

export interface Block extends BlockTimes {
  block: number;
  /** See id-marks.ts. */
  ids: Uint8Array;
}

/** A block, and of its marks the bytes that were asked for. */
export interface BlockLook extends BlockTimes {
  block: number;
  bytes: number[];
}

/** Up to which change rows are indexed, and which row of that change. */
export interface Watermark {
  changed: number;
  no: number;
}

export interface Changed extends Listed {
  changed: number;
}

export interface ListSource {
  numberOf(id: string): Promise<number | undefined>;
  /** The next rows in this order, the one with number `from` included. */
  scan(from: number, order: ListOrder, count: number): Promise<Listed[]>;
  /** In any order. */
  rows(numbers: readonly number[]): Promise<Listed[]>;
  /** Which rows have changed since they were indexed. Undefined: more than so many. */
  unindexed(most: number): Promise<number[] | undefined>;
  postings(terms: readonly string[], blocks: readonly number[]): Promise<Posting[]>;
  /** From the first to the last block, both included. */
  looks(first: number, last: number, bytes: readonly number[]): Promise<BlockLook[]>;
  /** The rows from number `from` to `to` whose id holds a text in lower case. */
  idsWith(text: string, from: number, to: number): Promise<number[]>;
}

export interface IndexTables extends Pick<ListSource, 'postings' | 'unindexed'> {
  watermark(): Promise<Watermark>;
  /** In the order of their changes. None that a change which is not committed yet could come before. */
  changedAfter(mark: Watermark, most: number): Promise<Changed[]>;
  blocks(numbers: readonly number[]): Promise<Block[]>;
  /** All of it or nothing. False: the watermark is another one. An empty posting is removed. */
  saveIndex(
    from: Watermark,
    to: Watermark,
    postings: readonly Posting[],
    blocks: readonly Block[],
  ): Promise<boolean>;
}
