/**
 * Jobs that wait for a clock, a child or a person.
 *
 * Owns: the timers of parked jobs. Does not own: what wakes a job (family.ts sends it), what a turn decides (net),
 * which executions need no memory while they wait (sharing/shared.ts).
 */
import { outstanding } from '@woof/net';
import type { Decisions } from './decisions.ts';
import type { Family } from './family.ts';
import type { LiveExecution } from './live-execution.ts';
import type { Sharing } from './sharing/sharing.ts';
import type { Timers } from './timers.ts';

export interface ParkingParts {
  readonly now: () => number;
  readonly timers: Timers;
  readonly decisions: Pick<Decisions, 'turn'>;
  readonly family: Pick<Family, 'wake'>;
  readonly sharing: Pick<Sharing, 'watchChild'>;
}

export class Parking {
  constructor(private readonly parts: ParkingParts) {}

  watch(execution: LiveExecution, jobId: string): void {
    const { timers, family, sharing } = this.parts;
    const { id, state } = execution;
    const job = state.jobs.get(jobId);
    if (job?.status !== 'parked') return;
    if (job.until !== null) timers.set(id, `job ${jobId}`, job.until, () => family.wake(id, jobId));
    if (job.child !== null) sharing.watchChild(execution, job);
  }

  watchAll(execution: LiveExecution): void {
    const { timers, children } = outstanding(execution.state);
    for (const { job_id: jobId } of [...timers, ...children]) this.watch(execution, jobId);
  }

  /** Stops watching the clocks of its jobs here, but not its retries. */
  unwatch(executionId: string): void {
    this.parts.timers.clearOf(executionId, isOfJob);
  }

  /** Settles what became due since the last check. */
  look(execution: LiveExecution): void {
    const { now, decisions } = this.parts;
    const at = now();
    for (const { job_id: jobId, until } of outstanding(execution.state).timers) {
      if (until <= at) decisions.turn(execution, { type: 'WakeJob', job_id: jobId });
      else this.watch(execution, jobId);
    }
    decisions.turn(execution, { type: 'SettleExecution' });
  }
}

const isOfJob = (key: string): boolean => key.startsWith('job ');
