/** What is stored about a schedule: what a person asked for, and how far it has come. */
import type { CatchUp, JsonObject, Overlap } from '@woof/net';

export interface ScheduleSpec {
  cron: string;
  timezone: string;
  catch_up: CatchUp;
  overlap: Overlap;
  /** The document's path in the catalogue. */
  path: string;
  payload: JsonObject;
  /** What the document may do beyond what it declares itself. */
  allow?: JsonObject;
  priority?: number;
}

export interface Schedule extends ScheduleSpec {
  schedule_id: string;
  /** The version of its document that declares it; absent if a person created it. */
  document?: { version: string; registered_at: number };
  paused: boolean;
  created_at: number;
  /** All times up to here are settled. */
  settled_until: number;
  /** Newest first. */
  runs: ScheduledRun[];
}

/**
 * starting: decided, but not known to be in the log; queued: waits for the run before it; skipped: an earlier run was
 * still running; missed: no server was running, and the catch-up policy leaves it out; failed: could not be started.
 */
export type RunState = 'starting' | 'started' | 'ended' | 'queued' | 'skipped' | 'missed' | 'failed';

export interface ScheduledRun {
  /** The time at which it was due, or was asked for. */
  due_at: number;
  execution_id: string;
  state: RunState;
  /** A person asked for it. */
  manual?: boolean;
  /** When its state was decided. */
  at: number;
  /** The reason for its state. */
  note?: string;
}

/** The number of runs that are remembered. Older ones that still matter are kept too, up to a limit. */
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
