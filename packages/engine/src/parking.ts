/**
 * Jobs that wait for a clock, a child or a person, and executions that only wait.
 *
 * Owns: timers of parked jobs, when an execution is due, which of them need no memory. Does not own: what wakes a job
 * (family.ts sends it), what a turn decides (net).
 */
import { isEnded, outstanding, type State } from '@woof/net';
import type { AfterCommit } from './after-commit.ts';
import type { Decisions } from './decisions.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Family } from './family.ts';
import type { LiveExecution } from './live-execution.ts';
import { Resting } from './resting.ts';
import type { Timers } from './timers.ts';

export interface ParkingParts {
  readonly options: Pick<EngineOptions, 'driver'>;
  readonly now: () => number;
  readonly live: ReadonlyMap<string, LiveExecution>;
  readonly timers: Timers;
  readonly afterCommit: Pick<AfterCommit, 'isAwaited'>;
  readonly decisions: Pick<Decisions, 'driveSurely' | 'letGo' | 'turn'>;
  readonly family: Pick<Family, 'wake'>;
}

export class Parking {
  private readonly resting: Resting;

  constructor(private readonly parts: ParkingParts) {
    this.resting = new Resting(parts.now, (id) => void parts.decisions.driveSurely(id));
  }

  get size(): number {
    return this.resting.size;
  }

  clear(): void {
    this.resting.clear();
  }

  /** It is in memory again. */
  woken(executionId: string): void {
    this.parts.timers.clearOf(executionId, isOfJob);
    this.resting.remove(executionId);
  }

  watch({ id, state }: LiveExecution, jobId: string): void {
    const { timers, live, options, family } = this.parts;
    const job = state.jobs.get(jobId);
    if (job?.status !== 'parked') return;
    if (job.until !== null) timers.set(id, `job ${jobId}`, job.until, () => family.wake(id, jobId));
    if (job.child === null || options.driver !== undefined) return;
    const child = live.get(job.child);
    // It may have ended, or asked a person, before this job waited for it.
    const isKnown = child && (child.state.status === 'needs_human') === (job.human !== null);
    if (!isKnown) family.wake(id, jobId);
  }

  watchAll(execution: LiveExecution): void {
    const { timers, children } = outstanding(execution.state);
    for (const { job_id: jobId } of [...timers, ...children]) this.watch(execution, jobId);
  }

  /** What time alone has settled since it was looked at last. */
  look(execution: LiveExecution): void {
    const now = this.parts.now();
    for (const { job_id: jobId, until } of outstanding(execution.state).timers) {
      if (until <= now) this.parts.decisions.turn(execution, { type: 'WakeJob', job_id: jobId });
      else this.watch(execution, jobId);
    }
    this.parts.decisions.turn(execution, { type: 'SettleExecution' });
  }

  /** Written with the frame that lets an execution rest: when it must be looked at again, and whom its end wakes. */
  noteDue(execution: LiveExecution): void {
    if (this.parts.options.driver === undefined) return;
    const { state } = execution;
    if (isEnded(state)) {
      if (state.parent) execution.wakes = [state.parent.execution_id];
      if (execution.offered !== undefined) execution.withdraw();
      return;
    }
    if (state.parent && execution.tellsCaller) execution.wakes = [state.parent.execution_id];
    const due = execution.isIdle ? nextDue(state) : null;
    if (due === execution.due) return;
    execution.due = due;
    execution.changeRow({ due_at: due });
  }

  /** An execution that only waits needs no memory: its row says when it is due. */
  rest(execution: LiveExecution): void {
    const { live, timers, decisions, afterCommit, options } = this.parts;
    if (options.driver === undefined || execution.lost || execution.hasUnsaved || !execution.isIdle) return;
    if (live.get(execution.id) !== execution || afterCommit.isAwaited(execution.id)) return;
    decisions.letGo(execution);
    timers.clearOf(execution.id, isOfJob);
    const due = nextDue(execution.state);
    if (due !== null) this.resting.add(execution.id, due);
  }
}

/** Timers that wake what is parked; those that try something again are not among them. */
const isOfJob = (key: string): boolean => key.startsWith('job ');

function nextDue(state: State): number | null {
  if (state.status === 'paused') return null;
  let due: number | null = null;
  for (const { until } of outstanding(state).timers) due = Math.min(due ?? until, until);
  return due;
}
