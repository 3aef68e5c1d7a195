/**
 * What tasks write: stored beside the log, limited per task run, read in pages from either end.
 *
 * Invariants: pages are in the order of writing, in either direction; a page is empty only if no matching line is left
 * in its direction; lines of other executions never appear, whatever the cursor is.
 */

export interface LogEntry {
  at: string;
  step: string;
  job_id: string;
  task_run_id: string;
  stream: 'stdout' | 'stderr';
  text: string;
}

export interface WrittenEntry extends LogEntry {
  execution_id: string;
}

export interface LogFilter {
  step?: string | undefined;
  stream?: LogEntry['stream'] | undefined;
  /** Text that the entry contains, ignoring case. */
  q?: string | undefined;
}

/** Forward from `from`, or from the start; backward from `before`, or from the end if `tail` is set. */
export interface LogQuery extends LogFilter {
  from?: string | undefined;
  before?: string | undefined;
  tail?: true | undefined;
  limit: number;
}

export interface LogLine extends LogEntry {
  /** As `from`: what follows the line. As `before`: what precedes it. */
  cursor: string;
}

export interface LogPage {
  lines: LogLine[];
  /** As `from`: what follows the page. */
  next: string;
  /** As `before`: what precedes the page; absent if nothing does. */
  previous?: string | undefined;
}

export interface LogStore {
  append(lines: readonly WrittenEntry[]): Promise<void>;
  read(executionId: string, query: LogQuery): Promise<LogPage>;
  /** Removes some of what was written before that time. False: nothing is left to remove. */
  forget?(before: number): Promise<boolean>;
}

/** A page ends with the line that brings it above this many characters. */
export const LARGEST_PAGE = 4 * 1024 * 1024;

/** The position that a cursor names; `otherwise` if it is not a cursor. */
export function placeOf(cursor: string | undefined, otherwise: number): number {
  const place = cursor === undefined || cursor === '' ? Number.NaN : Number(cursor);
  return Number.isSafeInteger(place) && place >= 0 ? place : otherwise;
}
