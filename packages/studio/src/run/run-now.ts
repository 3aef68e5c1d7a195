import type { Question, Reason } from '@woof/net';
import type { Moment, RunSource } from '@woof/run-view/fold';

/** The last moment of a run so far, and what it waits for. */
export interface RunNow extends Moment {
  reasons: Reason[];
  questions: Question[];
}

/** A run of a server. */
export interface ServerSource extends RunSource {
  now(): Promise<RunNow>;
}
