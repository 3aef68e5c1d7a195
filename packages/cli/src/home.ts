/**
 * Where runs are: a data directory here, or a server elsewhere. Verbs that read or command runs use only this
 * interface.
 */
import type { Reference } from '@woof/net';
import type { ExecutionRow, Frame, LogLine, ReadStore } from '@woof/stores';
import type { LogView } from './log-lines.ts';

export interface Home {
  store: ReadStore;
  /** For messages: the folder, or the server's address. */
  name: string;
  /** Whether something is driving the run right now. */
  isDriven(executionId: string): Promise<boolean>;
  /** Why jobs of the run wait for workers, as far as a server says. */
  whyQueued(executionId: string): Promise<string[]>;
  /** The log from the start; with `follow`, until the run ends. */
  frames(row: ExecutionRow, follow: boolean): AsyncIterable<Frame>;
  /** What tasks wrote. */
  logs(row: ExecutionRow, view?: LogView): AsyncIterable<LogLine>;
  /** The bytes of a stored value. */
  text(reference: Reference): Promise<string>;
  command(verb: 'pause' | 'cancel', executionId: string, reason?: string): Promise<Commanded>;
  close(): Promise<void>;
}

export interface Commanded {
  ok: boolean;
  message: string;
}
