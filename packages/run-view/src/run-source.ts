/**
 * What the views of a run read. A report makes one from the files in its page; Studio makes one from a server, with the
 * fold in a worker.
 *
 * Everything here is plain data, because it passes from a worker to a page. Values are text, because exact numbers
 * cannot.
 */
import type { Drawing } from '@woof/documents/graph';
import type { EventName, ExecutionStatus, Plan, Reason, StepStatus } from '@woof/net';
import type { Readable } from './readable.ts';

export interface RunSource {
  readonly id: string;
  readonly plan: Plan;
  readonly head: Readable<Head>;
  /** Where the graph shows the steps. */
  drawing(): Promise<Drawing>;
  /** The run after its first `seq` events: any up to `head.loaded`, or the whole of `head.length`. */
  at(seq: number): Promise<Moment>;
  step(seq: number, step: string): Promise<StepMoment>;
  /** Rows `from` (1-based) to before `to`. */
  events(from: number, to: number): Promise<EventRow[]>;
  /** Which event was the last at that time. */
  seqAt(time: number): Promise<number>;
  timeline(): Promise<Span[]>;
  iterations(step: string, page: IterationQuery): Promise<IterationPage>;
  logs(query: LogQuery): Promise<LogPage>;
  /** The text of a stored value: the whole, or about its first `most` bytes. */
  value(key: string, most?: number): Promise<string>;
  /** Where a browser can download it; absent if there is no server. */
  download?(key: string): string;
}

/** How much of the log is there. */
export interface Head {
  /** Events of the log. */
  length: number;
  /** How many of them, from the first, are here: moments up to there can be shown. */
  loaded: number;
  started_at: number;
  last_at: number;
  status: ExecutionStatus;
  /** `away`: the connection is lost and will be restored automatically. */
  connection: 'live' | 'away' | 'over';
}

export interface Moment {
  seq: number;
  at: number;
  status: ExecutionStatus | 'not started';
  event?: EventName | undefined;
  /** In the order of `plan.steps`. */
  steps: StepMark[];
  error?: { step?: string | undefined; message: string } | undefined;
  result?: ValueText | undefined;
  workload: ValueText;
  ctx: ValueText;
}

export interface StepMark {
  status: StepStatus;
  runs: number;
  /** The run in which it ran, if this one is a rerun that took its result. */
  reused_from?: string | undefined;
  /** Of a loop. */
  progress?: { done: number; failed: number; total: number } | undefined;
}

export interface StepMoment extends StepMark {
  step: string;
  started_at?: number | undefined;
  ended_at?: number | undefined;
  retries: number;
  because?: string | undefined;
  reasons: Reason[];
  result?: ValueText | undefined;
  error?: StepError | undefined;
  attempts: Attempt[];
  children: Child[];
}

/** A nested run. */
export interface Child {
  execution_id: string;
  iteration_id?: string | undefined;
  status: 'running' | 'succeeded' | 'failed';
}

export interface StepError {
  message: string;
  kind?: string | undefined;
  /** Which task of the step failed. */
  task?: string | undefined;
  traceback?: string | undefined;
  /** The rest of what is known. */
  more: ValueText;
}

export interface Attempt {
  /** The number of tasks that the bar stands for, if several; then `id` and `label` are empty. */
  count?: number;
  id: string;
  label: string;
  attempt: number;
  worker?: string | undefined;
  start: number;
  end?: number;
  failed: boolean;
  error?: string;
  waits: Wait[];
}

/** A job was parked: nothing worked on it until somebody approved, a nested run ended, or a time came. */
export interface Wait {
  start: number;
  /** Absent if it lasts until the end of what it belongs to. */
  end?: number;
}

export interface ValueText {
  text: string;
  /** Characters that were left out. */
  cut: number;
  /** Stored values inside, which `value` returns. */
  stored: { key: string; size: number }[];
  /** There is no text here, because the value itself is stored; its beginning can be shown. */
  isStored?: true;
}

export interface EventRow {
  seq: number;
  at: number;
  name: EventName;
  where: string;
  step?: string | undefined;
  said: string;
}

/** One run of a step, with its tasks; or, as `reused`, the moment in which a rerun took the step from another run. */
export interface Span {
  step: string;
  id: string;
  start: number;
  /** Absent while it is running. */
  end?: number;
  status: 'running' | 'succeeded' | 'failed' | 'skipped' | 'cancelled' | 'reused';
  tasks: Attempt[];
  /** Waits during which no task had begun or all had ended. */
  waits: Wait[];
}

export interface IterationQuery {
  /** The number of events of the run up to this moment. */
  seq: number;
  status?: 'running' | 'succeeded' | 'failed' | undefined;
  from: number;
  count: number;
}

export interface IterationPage {
  total: number;
  rows: {
    id: string;
    index: number;
    status: 'running' | 'succeeded' | 'failed';
    start: number;
    end?: number | undefined;
    error?: string | undefined;
  }[];
}

export interface LogQuery {
  step?: string | undefined;
  q?: string | undefined;
  /** A cursor of a line, to get what comes after or before it. Without one, the last lines. */
  after?: string;
  before?: string;
  limit: number;
}

export interface LogPage {
  lines: LogLine[];
  /** There are more in the direction that was asked for. */
  more: boolean;
}

export interface LogLine {
  cursor: string;
  at: string;
  step: string;
  stream: 'stdout' | 'stderr';
  text: string;
}
