/**
 * Keeps executions within their limits, and a server within what it can hold.
 *
 * Owns: the share of jobs that each execution may have, and when its size is measured. Does not own: what is refused,
 * or waits, beyond a limit (net).
 */
import { type Command, DEFAULT_LIMITS, isEnded, type Limits, overBytes } from '@woof/net';
import { VALUE_BYTES } from '@woof/stores';
import type { LiveExecution } from './live-execution.ts';

export interface EngineLimits extends Limits {
  /** Live jobs of all executions in this process together. Each may have its share of them. */
  process_jobs: number;
  /**
   * Approximate size of all their states together. Beyond it none is started, and each has the smallest share of jobs.
   */
  process_bytes: number;
  /** Nested runs of one run that are in progress, at any depth. */
  nested_runs: number;
  /** The largest stored value that a template or a task may read. */
  value_bytes: number;
  /** Events in one frame. A frame is one text in the store, and V8 limits the length of a text. */
  frame_events: number;
}

export const DEFAULT_ENGINE_LIMITS: EngineLimits = {
  ...DEFAULT_LIMITS,
  process_jobs: 100_000,
  process_bytes: 512 * 1024 * 1024,
  nested_runs: 5_000,
  value_bytes: VALUE_BYTES,
  frame_events: 1024,
};

/** However many executions there are, each can continue. */
const LEAST_SHARE = 4;
/** How long a run that left counts as one that is driven here. */
const MOMENT_MS = 1000;
/** How often the size of an execution is measured. */
const EVENTS_BETWEEN_LOOKS = 2000;

export class Bounds {
  /** As they were set. */
  readonly limits: EngineLimits;
  /** The limits with the share of jobs that an execution may have now. */
  readonly current: Limits;
  private bytes = 0;
  /** By run: how many of its executions are in memory. */
  private readonly inMemory = new Map<string, number>();
  /** The last run that left. */
  private gone: { root: string; at: number } | undefined;

  constructor(
    limits: Partial<EngineLimits> = {},
    private readonly live: ReadonlyMap<string, LiveExecution>,
    private readonly now: () => number,
  ) {
    this.limits = { ...DEFAULT_ENGINE_LIMITS, ...limits };
    this.current = { ...this.limits };
  }

  /** Call before each turn: updates how many jobs an execution may have now. */
  share(): void {
    const even = Math.floor(this.limits.process_jobs / Math.max(1, this.live.size));
    const share = this.isFull ? LEAST_SHARE : Math.max(LEAST_SHARE, even);
    this.current.jobs = Math.min(this.limits.jobs, share);
  }

  /** All executions together hold more than they may. */
  get isFull(): boolean {
    return this.bytes > this.limits.process_bytes;
  }

  /**
   * Other runs are driven here, or one was until a moment ago. Without that moment, a run with endless work would fill a
   * whole commit between two short runs, and the second would wait for it.
   */
  hasOthers(root: string): boolean {
    if (this.inMemory.size > (this.inMemory.has(root) ? 1 : 0)) return true;
    return this.gone !== undefined && this.gone.root !== root && this.now() - this.gone.at < MOMENT_MS;
  }

  /** It is in memory now. */
  entered({ root }: LiveExecution): void {
    this.inMemory.set(root, (this.inMemory.get(root) ?? 0) + 1);
  }

  /** It is no longer in memory. */
  left(execution: LiveExecution): void {
    const { root } = execution;
    const remaining = (this.inMemory.get(root) ?? 1) - 1;
    this.resize(execution, 0);
    if (remaining > 0) this.inMemory.set(root, remaining);
    else if (this.inMemory.delete(root)) this.gone = { root, at: this.now() };
  }

  private resize(execution: LiveExecution, bytes: number): void {
    this.bytes += bytes - execution.bytes;
    execution.bytes = bytes;
  }

  /** Call after each commit: returns the command that ends an execution that has become too large. */
  look(execution: LiveExecution, newEvents: number): Command | undefined {
    execution.eventsSinceLook += newEvents;
    if (execution.eventsSinceLook < EVENTS_BETWEEN_LOOKS || isEnded(execution.state)) return undefined;
    const { bytes, error } = overBytes(execution.state, this.limits);
    execution.eventsSinceLook = 0;
    // An execution that was released meanwhile does not count.
    if (this.live.get(execution.id) === execution) this.resize(execution, bytes);
    return error && { type: 'FailExecution', error };
  }
}
