/**
 * Answers all queries about jobs with a shared squeue.
 *
 * Invariants: at most one squeue runs at a time. Between two calls lies at least the shortest interval that anyone
 * asked for. If Slurm does not answer, retries slow down, and after a number of failures all waiters get its message.
 */
import { LONGEST_TIMER_MS } from '@woof/net';
import { type QueueEntry, SlurmFault, scancel, squeue } from './slurm-commands.ts';

export type Snapshot = ReadonlyMap<string, readonly QueueEntry[]>;

export interface SlurmQueueOptions {
  ask?: () => Promise<QueueEntry[]>;
  now?: () => number;
  /** How often in a row Slurm may fail to answer. */
  patience?: number;
  longestPauseMs?: number;
}

interface Waiter {
  pollMs: number;
  resolve: (snapshot: Snapshot) => void;
  reject: (fault: SlurmFault) => void;
}

/** Cancellations within this time go into one call. */
const GATHER_MS = 20;
const PATIENCE = 12;
const LONGEST_PAUSE_MS = 30_000;

export class SlurmQueue {
  /** How often squeue was called. */
  polls = 0;
  private waiters: Waiter[] = [];
  private timer: NodeJS.Timeout | undefined;
  private timerDue = Infinity;
  private asking = false;
  private lastAsked = -Infinity;
  private failures = 0;
  private unwanted: { ids: string[]; done: Promise<void> } | undefined;

  constructor(private readonly options: SlurmQueueOptions = {}) {}

  /** What Slurm reports after this call. */
  next(pollMs: number): Promise<Snapshot> {
    return new Promise((resolve, reject) => {
      this.waiters.push({ pollMs, resolve, reject });
      this.arm();
    });
  }

  cancel(id: string): Promise<void> {
    this.unwanted ??= this.cancelSoon();
    this.unwanted.ids.push(id);
    return this.unwanted.done;
  }

  private cancelSoon(): { ids: string[]; done: Promise<void> } {
    const ids: string[] = [];
    const gathered = new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    const done = gathered.then(() => {
      this.unwanted = undefined;
      return scancel(ids);
    });
    return { ids, done };
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }

  private arm(): void {
    if (this.asking || this.waiters.length === 0) return;
    const due = this.lastAsked + this.pauseMs();
    if (this.timer !== undefined && this.timerDue <= due) return;
    clearTimeout(this.timer);
    this.timerDue = due;
    this.timer = setTimeout(() => void this.poll(), Math.max(0, due - this.now()));
  }

  private pauseMs(): number {
    const shortest = this.waiters.reduce((least, { pollMs }) => Math.min(least, pollMs), LONGEST_TIMER_MS);
    if (this.failures === 0) return shortest;
    const { longestPauseMs = LONGEST_PAUSE_MS } = this.options;
    return Math.max(shortest, Math.min(longestPauseMs, 500 * 2 ** this.failures));
  }

  private async poll(): Promise<void> {
    this.timer = undefined;
    this.asking = true;
    this.lastAsked = this.now();
    this.polls += 1;
    const asked = this.waiters.splice(0);
    try {
      const snapshot = byName(await (this.options.ask ?? squeue)());
      this.failures = 0;
      for (const waiter of asked) waiter.resolve(snapshot);
    } catch (error) {
      this.failed(asked, error);
    }
    this.asking = false;
    this.arm();
  }

  private failed(asked: Waiter[], error: unknown): void {
    const fault = error instanceof SlurmFault ? error : new SlurmFault((error as Error).message, false);
    this.failures += 1;
    if (fault.passing && this.failures < (this.options.patience ?? PATIENCE)) {
      this.waiters.unshift(...asked);
      return;
    }
    const times = this.failures === 1 ? '' : ` (tried ${this.failures} times)`;
    this.failures = 0;
    for (const waiter of asked) waiter.reject(new SlurmFault(`${fault.message}${times}`, fault.passing));
  }
}

function byName(entries: QueueEntry[]): Snapshot {
  const names = new Map<string, QueueEntry[]>();
  for (const entry of entries) {
    const same = names.get(entry.name);
    if (same) same.push(entry);
    else names.set(entry.name, [entry]);
  }
  return names;
}
