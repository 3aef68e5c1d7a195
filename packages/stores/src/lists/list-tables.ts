/** What lists need from a database. */
import type { Listed, ListOrder } from './list-filter.ts';

/** The rows of a block under a term, encoded as a `RowSet`. */
export interface Posting {
  term: string;
  block: number;
  rows: Uint8Array;
}

/** The range of times at which the rows of a block started, and ended; null if none did. */
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

/** A block, with the requested bytes of its marks. */
export interface BlockLook extends BlockTimes {
  block: number;
  bytes: number[];
}

/** The change up to which rows are indexed, and the row of that change. */
export interface Watermark {
  changed: number;
  no: number;
}

export interface Changed extends Listed {
  changed: number;
}

export interface ListSource {
  numberOf(id: string): Promise<number | undefined>;
  /** The next rows in this order, including the one with number `from`. */
  scan(from: number, order: ListOrder, count: number): Promise<Listed[]>;
  /** In any order. */
  rows(numbers: readonly number[]): Promise<Listed[]>;
  /** Which rows have changed since they were indexed. Undefined: more than `most`. */
  unindexed(most: number): Promise<number[] | undefined>;
  postings(terms: readonly string[], blocks: readonly number[]): Promise<Posting[]>;
  /** From the first to the last block, inclusive. */
  looks(first: number, last: number, bytes: readonly number[]): Promise<BlockLook[]>;
  /** The rows from number `from` to `to` whose id contains a text, given in lower case. */
  idsWith(text: string, from: number, to: number): Promise<number[]>;
}

export interface IndexTables extends Pick<ListSource, 'postings' | 'unindexed'> {
  watermark(): Promise<Watermark>;
  /** In the order of their changes. Excludes changes that an uncommitted change could still precede. */
  changedAfter(mark: Watermark, most: number): Promise<Changed[]>;
  blocks(numbers: readonly number[]): Promise<Block[]>;
  /** Saves everything or nothing. False: the watermark has changed. An empty posting is removed. */
  saveIndex(
    from: Watermark,
    to: Watermark,
    postings: readonly Posting[],
    blocks: readonly Block[],
  ): Promise<boolean>;
}
