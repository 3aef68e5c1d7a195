/**
 * Keeps executions within their limits, and a server within what it can hold.
 *
 * Owns: the share of jobs that each execution may have, and when its size is looked at. Does not own: what is refused, or
 * waits, beyond a limit (net).
 */
import { type Command, DEFAULT_LIMITS, isEnded, type Limits, overBytes } from '@woof/net';
import type { LiveExecution } from './live-execution.ts';

export interface EngineLimits extends Limits {
  /** Live jobs of all executions in this process together. Each may have its share of them. */
  process_jobs: number;
  /** Nested runs of one run that are under way, at any depth. */
  nested_runs: number;
}

export const DEFAULT_ENGINE_LIMITS: EngineLimits = {
  ...DEFAULT_LIMITS,
  process_jobs: 100_000,
  nested_runs: 5_000,
};

/** However many executions there are, each can go on. */
const LEAST_SHARE = 4;
/** How often the size of an execution is looked at. */
const EVENTS_BETWEEN_LOOKS = 2000;

export class Bounds {
  /** As they were set. */
  readonly limits: EngineLimits;
  /** With the share of jobs that an execution may have now. */
  readonly current: Limits;

  constructor(
    limits: Partial<EngineLimits> = {},
    private readonly live: ReadonlyMap<string, LiveExecution>,
  ) {
    this.limits = { ...DEFAULT_ENGINE_LIMITS, ...limits };
    this.current = { ...this.limits };
  }

  /** Before each turn: how many jobs an execution may have now. */
  share(): void {
    const share = Math.floor(this.limits.process_jobs / Math.max(1, this.live.size));
    this.current.jobs = Math.min(this.limits.jobs, Math.max(LEAST_SHARE, share));
  }

  /** After each commit: the command that ends an execution that has become too large. */
  look(execution: LiveExecution, newEvents: number): Command | undefined {
    execution.eventsSinceLook += newEvents;
    if (execution.eventsSinceLook < EVENTS_BETWEEN_LOOKS || isEnded(execution.state)) return undefined;
    const { bytes, error } = overBytes(execution.state, this.limits);
    execution.eventsSinceLook = 0;
    execution.bytes = bytes;
    return error && { type: 'FailExecution', error };
  }
}
