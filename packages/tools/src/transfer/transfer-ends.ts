/** The contracts of both ends of a transfer. Rows pass as CSV: see `csv-text.ts`. */
import type { Outcome } from '@woof/net';
import type { Column } from './column-types.ts';
import type { Chunk } from './csv-chunks.ts';

export interface TransferSource {
  /** Must be called before `rows`. No columns: there are no rows to tell them from. */
  open(): Promise<Column[]>;
  rows(): AsyncIterable<Uint8Array>;
  /** What an error of this end means. */
  failure(error: unknown): Outcome;
  close(): Promise<void>;
}

export interface Progress {
  chunks: number;
  rows: number;
  /** All of it is there: an earlier attempt ended after the last chunk and before it could say so. */
  isDone: boolean;
}

export interface TransferTarget {
  /** Makes the table where it is missing and the columns are known; says what an earlier attempt of this transfer has left. */
  open(columns: Column[]): Promise<Progress>;
  /** When it resolves, the chunk and the note that it is there have happened together, or will with the others. */
  write(chunk: Chunk, progress: Progress): Promise<void>;
  finish(progress: Progress): Promise<void>;
  failure(error: unknown): Outcome;
  close(): Promise<void>;
}

export type TransferMode = 'append' | 'replace' | 'upsert';

export interface TransferPlan {
  /** The same for every attempt, so that they are one transfer. */
  id: string;
  mode: TransferMode;
  /** The columns that identify a row. */
  key: string[];
  /** Columns of the target by those of the source; all under their own names unless set. */
  mapping: [target: string, source: string][] | undefined;
  chunkRows: number;
  signal: AbortSignal;
}
