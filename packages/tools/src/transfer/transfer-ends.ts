/** The contracts of both ends of a transfer. Rows pass as CSV: see `csv-text.ts`. */
import type { Outcome } from '@woof/net';
import type { Column } from './column-types.ts';
import type { Chunk } from './csv-chunks.ts';

export interface TransferSource {
  /** Must be called before `rows`. No columns: there are no rows from which to infer them. */
  open(): Promise<Column[]>;
  rows(): AsyncIterable<Uint8Array>;
  /** The meaning of an error of this end. */
  failure(error: unknown): Outcome;
  close(): Promise<void>;
}

export interface Progress {
  chunks: number;
  rows: number;
  /** Everything is there: an earlier attempt ended after the last chunk and before it could report. */
  isDone: boolean;
}

export interface TransferTarget {
  /** Creates the table if it is missing and the columns are known. Returns what an earlier attempt has left. */
  open(columns: Column[]): Promise<Progress>;
  /** When it resolves, the chunk and its note have been committed together, or will be with the other chunks. */
  write(chunk: Chunk, progress: Progress): Promise<void>;
  finish(progress: Progress): Promise<void>;
  failure(error: unknown): Outcome;
  close(): Promise<void>;
}

export type TransferMode = 'append' | 'replace' | 'upsert';

export interface TransferPlan {
  /** The same for every attempt, so that all attempts are one transfer. */
  id: string;
  mode: TransferMode;
  /** The columns that identify a row. */
  key: string[];
  /** Target columns by source columns; by default, all keep their names. */
  mapping: [target: string, source: string][] | undefined;
  chunkRows: number;
  signal: AbortSignal;
}
