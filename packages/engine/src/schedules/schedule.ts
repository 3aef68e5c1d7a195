/** What is stored of a schedule: what a person asked for, and how far it has come. */
import type { CatchUp, JsonObject, Overlap } from '@woof/net';

export interface ScheduleSpec {
  cron: string;
  timezone: string;
  catch_up: CatchUp;
  overlap: Overlap;
  /** The document's path in the catalogue. */
  path: string;
  payload: JsonObject;
  /** What the document may do beyond what it says itself. */
  allow?: JsonObject;
  priority?: number;
}

export interface Schedule extends ScheduleSpec {
  schedule_id: string;
  /** The version of its document that declares it; absent where a person made it. */
  document?: { version: string; registered_at: number };
  paused: boolean;
  created_at: number;
  /** All times up to here are settled. */
  settled_until: number;
  /** Newest first. */
  runs: ScheduledRun[];
}

/**
 * starting: decided, and not known to be in the log; queued: waits for the run before it; skipped: an earlier one still
 * ran; missed: nobody was there, and the catch-up policy lets it be; failed: could not be started.
 */
export type RunState = 'starting' | 'started' | 'ended' | 'queued' | 'skipped' | 'missed' | 'failed';

export interface ScheduledRun {
  /** The time that it was due, or asked for. */
  due_at: number;
  execution_id: string;
  state: RunState;
  /** Somebody asked for it. */
  manual?: boolean;
  /** When its state was decided. */
  at: number;
  /** Why it is so. */
  note?: string;
}

/** So many runs are remembered, and beyond them those that still matter, up to a bound. */
const RUNS_KEPT = 20;
const MOST_RUNS_KEPT = 500;

export const goesOn = (run: ScheduledRun): boolean => run.state === 'starting' || run.state === 'started';

export function withRuns(schedule: Schedule, added: readonly ScheduledRun[]): Schedule {
  const runs = [...added].reverse().concat(schedule.runs);
  const kept = runs.filter((run, index) => index < RUNS_KEPT || matters(schedule, run));
  return { ...schedule, runs: kept.slice(0, MOST_RUNS_KEPT) };
}

function matters({ overlap }: Schedule, { state }: ScheduledRun): boolean {
  return state === 'starting' || state === 'queued' || (state === 'started' && overlap !== 'allow');
}

export function withRun(schedule: Schedule, changed: ScheduledRun): Schedule {
  const runs = schedule.runs.map((run) => (run.execution_id === changed.execution_id ? changed : run));
  return { ...schedule, runs };
}
