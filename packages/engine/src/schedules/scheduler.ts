/**
 * Starts the runs of schedules. Every server has a scheduler; each due time is started once.
 *
 * Invariants:
 * - A decision is first written, against the version that was read, so that only one of several servers decides.
 * - The id of an execution derives from schedule and due time. A server that dies between the two leaves a run that
 *   is `starting`; any other server starts it under the same id, which the log accepts once.
 */
import type { JsonObject } from '@woof/net';
import type { SharedStore, Stored } from '@woof/stores';
import { type Schedule, type ScheduledRun, withRun, withRuns } from './schedule.ts';
import { nextTimes, scheduledRunId, settle } from './settle.ts';

export const SCHEDULES = 'schedules';

/** How long it takes to notice schedules that other servers changed. */
const RELOAD_MS = 5000;
/** A run that another server decided on but did not start is started here after this time. */
const HEAL_MS = 10_000;
const PAGE = 500;

export interface SchedulerOptions {
  store: SharedStore;
  everyMs: number;
  now: () => number;
  newId: () => string;
  /**
   * Durable when it resolves. An existing execution with that id is left unchanged. Returns why it cannot be started.
   */
  start: (schedule: Schedule, run: ScheduledRun) => Promise<{ refused: string } | undefined>;
  cancel: (executionId: string, reason: string) => Promise<void>;
  onFault: (error: unknown) => void;
}

interface Known {
  /** When it must be checked. */
  at: number;
  /** The version of the record that says so. A schedule that is created again counts from the start. */
  version: number;
  created_at: number;
}

export class Scheduler {
  private readonly known = new Map<string, Known>();
  private loadedAt = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;

  constructor(private readonly options: SchedulerOptions) {}

  start(): void {
    if (!this.stopped) this.timer = setTimeout(() => this.tick(), this.options.everyMs);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** A schedule was created or changed here: it is checked in the next round. */
  changed(): void {
    this.loadedAt = Number.NEGATIVE_INFINITY;
  }

  /** Starts a run at once, whatever else is running. */
  async runNow(id: string): Promise<ScheduledRun | undefined> {
    const now = this.options.now();
    const run: ScheduledRun = {
      due_at: now,
      execution_id: this.options.newId(),
      state: 'starting',
      manual: true,
      at: now,
    };
    const schedule = await this.update(id, (before) => withRuns(before, [run]));
    return schedule && this.startRun(schedule, run);
  }

  /**
   * Starts the run of a past time, whatever else is running, under the id that it would have had on time: asking again
   * starts nothing twice. The schedule does not remember it among its runs, so its policies do not count it.
   */
  async startPast(
    schedule: Schedule,
    due_at: number,
  ): Promise<{ execution_id: string } | { refused: string }> {
    const execution_id = scheduledRunId(schedule, due_at);
    const at = this.options.now();
    const run: ScheduledRun = { due_at, execution_id, state: 'starting', manual: true, at };
    return (await this.options.start(schedule, run)) ?? { execution_id };
  }

  private tick(): void {
    this.running = this.round()
      .catch((error: unknown) => this.options.onFault(error))
      .finally(() => {
        this.running = undefined;
        this.start();
      });
  }

  /** Checks all schedules that may have something to do. */
  async round(): Promise<void> {
    const now = this.options.now();
    if (now - this.loadedAt >= RELOAD_MS) await this.load(now);
    for (const [id, { at }] of this.known) {
      if (this.stopped) return;
      if (at <= now) await this.guarded(() => this.look(id, now));
    }
  }

  private async load(now: number): Promise<void> {
    this.loadedAt = now;
    const ids = new Set<string>();
    for (let after = ''; ; ) {
      const page = await this.options.store.records.list(SCHEDULES, { after, limit: PAGE });
      for (const stored of page) {
        ids.add(stored.key);
        if (this.isKnown(stored)) continue;
        await this.guarded(() => this.note(scheduleOf(stored), stored.version, now));
      }
      if (page.length < PAGE) break;
      after = page.at(-1)!.key;
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const id of this.known.keys()) if (!ids.has(id)) this.known.delete(id);
  }

  private note(schedule: Schedule, version: number, now: number): void {
    this.known.set(schedule.schedule_id, {
      at: lookAt(schedule, now),
      version,
      created_at: schedule.created_at,
    });
  }

  private isKnown(stored: Stored): boolean {
    const known = this.known.get(stored.key);
    return known?.version === stored.version && known.created_at === scheduleOf(stored).created_at;
  }

  /** One schedule that cannot be read or started must not keep the others waiting. */
  private async guarded(work: () => Promise<void> | void): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.options.onFault(error);
    }
  }

  private async look(id: string, now: number): Promise<void> {
    const stored = await this.options.store.records.get(SCHEDULES, id);
    if (stored === undefined) {
      this.known.delete(id);
      return;
    }
    const before = await this.withEnds(scheduleOf(stored), now);
    const settled = settle(before, now);
    const schedule = settled?.schedule ?? before;
    const isNew = settled !== undefined || before !== scheduleOf(stored);
    // If another server was faster, the next round sees what it decided.
    if (isNew && !(await this.put(schedule, stored.version))) return this.changed();
    this.note(schedule, stored.version + (isNew ? 1 : 0), now);
    const abandoned = before.runs.filter((run) => run.state === 'starting' && now - run.at >= HEAL_MS);
    for (const run of [...abandoned.reverse(), ...(settled?.starts ?? [])])
      await this.startRun(schedule, run);
  }

  private async startRun(schedule: Schedule, run: ScheduledRun): Promise<ScheduledRun> {
    if (schedule.overlap === 'cancel' && !run.manual) await this.cancelOthers(schedule, run);
    const refusal = await this.options.start(schedule, run);
    const at = this.options.now();
    const after: ScheduledRun = refusal
      ? { ...run, state: 'failed', at, note: refusal.refused }
      : { ...run, state: 'started', at };
    await this.update(schedule.schedule_id, (before) => withRun(before, after));
    return after;
  }

  private async cancelOthers({ schedule_id, runs }: Schedule, next: ScheduledRun): Promise<void> {
    for (const run of runs) {
      if (run.state !== 'started' || run.at > next.at) continue;
      await this.options.cancel(run.execution_id, `the next run of schedule ${schedule_id} is due`);
    }
  }

  /** Checked only if it matters whether runs are still running. */
  private async withEnds(schedule: Schedule, now: number): Promise<Schedule> {
    if (schedule.overlap === 'allow') return schedule;
    let after = schedule;
    for (const run of schedule.runs) {
      if (run.state !== 'started') continue;
      const row = await this.options.store.execution(run.execution_id);
      if (row === undefined || row.ended_at !== undefined)
        after = withRun(after, { ...run, state: 'ended', at: now });
    }
    return after;
  }

  /** Undefined: there is no such schedule. */
  private async update(id: string, change: (schedule: Schedule) => Schedule): Promise<Schedule | undefined> {
    for (;;) {
      const stored = await this.options.store.records.get(SCHEDULES, id);
      if (stored === undefined) return undefined;
      const schedule = change(scheduleOf(stored));
      if (await this.put(schedule, stored.version)) return schedule;
    }
  }

  private put(schedule: Schedule, version: number): Promise<boolean> {
    const value = schedule as unknown as JsonObject;
    return this.options.store.records.put(SCHEDULES, schedule.schedule_id, value, version);
  }
}

export const scheduleOf = (stored: Stored): Schedule => stored.value as unknown as Schedule;

function lookAt(schedule: Schedule, now: number): number {
  const { runs, paused, settled_until } = schedule;
  if (runs.some((run) => run.state === 'queued')) return now;
  const starting = runs.filter((run) => run.state === 'starting').map((run) => run.at + HEAL_MS);
  const next = paused ? [] : nextTimes(schedule, settled_until, 1);
  return Math.min(...starting, ...next, Number.POSITIVE_INFINITY);
}
