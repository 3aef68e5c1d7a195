/** Schedules as people create and see them. The scheduler starts their runs. */
import {
  nextTimes,
  SCHEDULES,
  type Schedule,
  type ScheduledRun,
  type Scheduler,
  type ScheduleSpec,
  scheduledRunId,
  scheduleOf,
  timesBetween,
} from '@woof/engine';
import {
  encodeJson,
  isCronFault,
  type JsonObject,
  LARGEST_PAYLOAD,
  parseCron,
  SCHEDULE_DEFAULTS,
  zoneHint,
  zoneOf,
} from '@woof/net';
import { Problem } from '@woof/protocol';
import type { SharedStore } from '@woof/stores';
import type { Catalogue } from './catalogue.ts';

const NEXT_TIMES = 10;
const MOST_BACKFILLED = 1000;
const STARTED_AT_ONCE = 50;
const PAGE = 100;
const DAY_MS = 86_400_000;

/** What a caller sends. The rest has defaults. */
export type Asked = Pick<Schedule, 'path' | 'cron'> &
  Partial<ScheduleSpec> & { paused?: boolean | undefined };

export class Schedules {
  constructor(
    private readonly store: SharedStore,
    private readonly catalogue: Catalogue,
    private readonly scheduler: Scheduler,
    private readonly now: () => number,
    /** How long runs are kept after they ended; undefined: forever. */
    private readonly keepDays?: number,
  ) {}

  async create(id: string, asked: Asked) {
    const at = this.now();
    const schedule: Schedule = {
      ...(await this.checked(asked)),
      schedule_id: id,
      paused: asked.paused ?? false,
      created_at: at,
      settled_until: at,
      runs: [],
    };
    if (!(await this.put(schedule, 0)))
      throw new Problem('request/conflict', `a schedule "${id}" already exists`);
    return this.shown(schedule);
  }

  /** Sorted by name. */
  async list({ after, limit = PAGE }: { after?: string | undefined; limit?: number | undefined }) {
    const page = await this.store.records.list(SCHEDULES, { ...(after ? { after } : {}), limit });
    const schedules = page.map((stored) => this.shown(scheduleOf(stored)));
    return { schedules, ...(page.length === limit ? { next: page.at(-1)!.key } : {}) };
  }

  async get(id: string) {
    const schedule = await this.find(id);
    const shown = this.shown(schedule);
    const runs = await Promise.all(schedule.runs.map((run) => this.withStatus(run)));
    return { ...shown, runs };
  }

  /** Times that passed under the old spec stay settled. */
  async update(id: string, asked: Asked) {
    const spec = await this.checked(asked);
    const now = this.now();
    return this.change(id, (schedule) => {
      refuseDeclared(schedule);
      const { runs, created_at, paused, schedule_id } = schedule;
      return {
        ...spec,
        schedule_id,
        created_at,
        paused: asked.paused ?? paused,
        settled_until: now,
        runs,
      };
    });
  }

  pause(id: string) {
    return this.change(id, (schedule) => ({ ...schedule, paused: true }));
  }

  /** Times that passed during the pause are skipped whatever the catch-up policy: the pause was deliberate. */
  resume(id: string) {
    const now = this.now();
    return this.change(id, (schedule) =>
      schedule.paused ? { ...schedule, paused: false, settled_until: now } : schedule,
    );
  }

  async remove(id: string): Promise<void> {
    for (;;) {
      const stored = await this.store.records.get(SCHEDULES, id);
      if (stored === undefined) throw unknown(id);
      refuseDeclared(scheduleOf(stored));
      if (await this.store.records.remove(SCHEDULES, id, stored.version)) break;
    }
    this.scheduler.changed();
  }

  async run(id: string) {
    const run = await this.scheduler.runNow(id);
    if (run === undefined) throw unknown(id);
    return this.withStatus(run);
  }

  /**
   * The past times in the span for which the schedule has not started a run. Starts them now unless it is a dry run.
   */
  async backfill(
    id: string,
    { dry_run, ...span }: { since: number; until: number; dry_run?: boolean | undefined },
  ) {
    const schedule = await this.find(id);
    const times = await this.withoutRun(schedule, this.pastTimes(schedule, span));
    if (dry_run) return { times };
    const started: { execution_id: string; scheduled_at: number }[] = [];
    for (let first = 0; first < times.length; first += STARTED_AT_ONCE) {
      const some = times.slice(first, first + STARTED_AT_ONCE);
      const runs = await Promise.all(some.map((time) => this.scheduler.startPast(schedule, time)));
      for (const [index, run] of runs.entries()) {
        if ('refused' in run) throw new Problem('request/conflict', `schedule "${id}": ${run.refused}`);
        started.push({ execution_id: run.execution_id, scheduled_at: some[index]! });
      }
    }
    return { started };
  }

  private pastTimes(schedule: Schedule, { since, until }: { since: number; until: number }): number[] {
    if (since > until) throw new Problem('request/invalid', 'since: it is later than until');
    if (until > this.now())
      throw new Problem(
        'request/invalid',
        'until: it is in the future; the schedule starts those runs itself',
      );
    if (this.keepDays !== undefined && since < this.now() - this.keepDays * DAY_MS)
      throw new Problem(
        'request/invalid',
        `since: this server removes runs after ${this.keepDays} days, so it cannot tell which earlier start times had one; choose a later time`,
      );
    const times = timesBetween(schedule, { since, until }, MOST_BACKFILLED);
    if (times !== undefined) return times;
    const detail = `the schedule has more than ${MOST_BACKFILLED} start times in this span; choose a shorter one`;
    throw new Problem('request/invalid', detail);
  }

  private async withoutRun(schedule: Schedule, times: readonly number[]): Promise<number[]> {
    const rows = await Promise.all(times.map((time) => this.store.execution(scheduledRunId(schedule, time))));
    return times.filter((_, index) => rows[index] === undefined);
  }

  private async checked(asked: Asked): Promise<ScheduleSpec> {
    const { path, cron, timezone = SCHEDULE_DEFAULTS.timezone, payload = {} } = asked;
    const { catch_up = SCHEDULE_DEFAULTS.catch_up, overlap = SCHEDULE_DEFAULTS.overlap } = asked;
    const parsed = parseCron(cron);
    if (isCronFault(parsed)) {
      const { message, column, endColumn: end_column, example } = parsed;
      const detail = `cron "${cron}", column ${column}: ${message}; for example "${example}"`;
      throw new Problem('request/invalid', detail, { column, end_column, example });
    }
    if (zoneOf(timezone) === undefined)
      throw new Problem(
        'request/invalid',
        `timezone: there is no time zone "${timezone}"; ${zoneHint(timezone)}`,
      );
    if (encodeJson(payload).length > LARGEST_PAYLOAD)
      throw new Problem(
        'request/too-large',
        'payload: it exceeds 64 KiB; let the document fetch larger values',
      );
    const { text, file } = await this.catalogue.get(path);
    this.catalogue.runnable(text, file);
    const { allow, priority } = asked;
    const more = { ...(allow ? { allow } : {}), ...(priority === undefined ? {} : { priority }) };
    return { path, cron, timezone, catch_up, overlap, payload, ...more };
  }

  private async change(id: string, change: (schedule: Schedule) => Schedule) {
    for (;;) {
      const stored = await this.store.records.get(SCHEDULES, id);
      if (stored === undefined) throw unknown(id);
      const schedule = change(scheduleOf(stored));
      if (await this.put(schedule, stored.version)) return this.shown(schedule);
    }
  }

  private async put(schedule: Schedule, version: number): Promise<boolean> {
    const value = schedule as unknown as JsonObject;
    const done = await this.store.records.put(SCHEDULES, schedule.schedule_id, value, version);
    this.scheduler.changed();
    return done;
  }

  private async find(id: string): Promise<Schedule> {
    const stored = await this.store.records.get(SCHEDULES, id);
    if (stored === undefined) throw unknown(id);
    return scheduleOf(stored);
  }

  shown({ settled_until: _, runs, ...schedule }: Schedule) {
    const next = schedule.paused ? [] : nextTimes(schedule, this.now(), NEXT_TIMES);
    return { ...schedule, next, runs: runs.map(runShown) };
  }

  private async withStatus(run: ScheduledRun) {
    const row = await this.store.execution(run.execution_id);
    return { ...runShown(run), ...(row ? { status: row.status } : {}) };
  }
}

const runShown = ({ at: _, ...run }: ScheduledRun) => run;

const unknown = (id: string): Problem => new Problem('not-found', `there is no schedule "${id}"`);

/** The next version of the document would undo the change. */
function refuseDeclared({ schedule_id, path, document }: Schedule): void {
  if (document === undefined) return;
  const detail = `schedule "${schedule_id}" is declared by the document ${path}; change it there and register the document again, or pause the schedule`;
  throw new Problem('request/conflict', detail);
}
