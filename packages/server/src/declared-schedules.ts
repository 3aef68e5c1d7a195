/**
 * Schedules that documents declare: the store has exactly those of the newest version of each document.
 *
 * Invariants:
 * - Schedules that people created are never changed.
 * - Any number of servers may register versions of one document at once. After registering, a server looks again until
 *   no newer version has appeared. An older version never overwrites what a newer one wrote: `registered_at` only grows.
 * - If a server dies halfway, the remaining schedules are checked when they are due (`stillDeclared`), and repaired when
 *   the document is registered or removed again.
 */
import { isDeepStrictEqual } from 'node:util';
import { SCHEDULES, type Schedule, type ScheduleSpec, scheduleOf } from '@woof/engine';
import { type DeclaredSchedule, declaredId, decodeJson, encodeJson, type JsonObject } from '@woof/net';
import { Problem } from '@woof/protocol';
import type { Records, Stored } from '@woof/stores';
import type { Catalogue } from './catalogue.ts';
import type { ServerLog } from './log/server-log.ts';

const PAGE = 500;

interface DeclaredParts {
  records: Records;
  catalogue: Catalogue;
  log: ServerLog;
  now: () => number;
  /** Called when a schedule has changed. */
  changed: () => void;
}

/** The version of the document that declares the schedule. */
type Version = NonNullable<Schedule['document']>;

export class DeclaredSchedules {
  constructor(private readonly parts: DeclaredParts) {}

  /**
   * Checked before anything is registered: a schedule that a person created or another document declares keeps its
   * name.
   */
  async refuseTaken(path: string, declared: readonly DeclaredSchedule[]): Promise<void> {
    for (const { name } of declared) {
      const stored = await this.parts.records.get(SCHEDULES, declaredId(path, name));
      if (stored && !isOf(path, scheduleOf(stored))) throw taken(scheduleOf(stored));
    }
  }

  /**
   * Makes the schedules match the newest version of the document. Returns them and the names of those that it removed.
   */
  async settle(path: string): Promise<{ schedules: Schedule[]; removed: string[] }> {
    const removed: string[] = [];
    for (;;) {
      const newest = await this.parts.catalogue.newest(path);
      // Without a document, all of them are removed, even those from a server whose clock is ahead.
      const {
        version = '',
        registered_at = Number.POSITIVE_INFINITY,
        schedules: declared = [],
      } = newest ?? {};
      const wanted = new Map(declared.map((one) => [declaredId(path, one.name), one]));
      removed.push(...(await this.removeOthers(path, wanted, registered_at)));
      const schedules: Schedule[] = [];
      for (const [id, one] of wanted)
        schedules.push(await this.write(id, specOf(path, one), { version, registered_at }));
      if (wanted.size > 0 || removed.length > 0) this.parts.changed();
      if ((await this.parts.catalogue.registeredAt(path)) === newest?.registered_at)
        return { schedules, removed };
    }
  }

  private async removeOthers(
    path: string,
    wanted: ReadonlyMap<string, unknown>,
    asOf: number,
  ): Promise<string[]> {
    const removed: string[] = [];
    for (const { key, version, value } of await this.ofDocument(path)) {
      const { document } = value as unknown as Schedule;
      if (wanted.has(key) || document!.registered_at > asOf) continue;
      if (!(await this.parts.records.remove(SCHEDULES, key, version))) continue;
      this.parts.log.info('schedule removed with its document', { schedule_id: key });
      removed.push(key);
    }
    return removed;
  }

  private async write(id: string, spec: ScheduleSpec, document: Version): Promise<Schedule> {
    for (;;) {
      const stored = await this.parts.records.get(SCHEDULES, id);
      const before = stored && scheduleOf(stored);
      if (before && !isOf(spec.path, before)) throw taken(before);
      if (before && before.document!.registered_at > document.registered_at) return before;
      const schedule = next(id, spec, document, before, this.parts.now());
      const value = schedule as unknown as JsonObject;
      if (!(await this.parts.records.put(SCHEDULES, id, value, stored?.version ?? 0))) continue;
      if (before === undefined) this.parts.log.info('schedule declared', { schedule_id: id });
      return schedule;
    }
  }

  private async ofDocument(path: string): Promise<Stored[]> {
    const found: Stored[] = [];
    const prefix = declaredId(path, undefined);
    for (let after = ''; ; ) {
      const page = await this.parts.records.list(SCHEDULES, { prefix, after, limit: PAGE });
      found.push(...page.filter((stored) => isOf(path, scheduleOf(stored))));
      if (page.length < PAGE) return found;
      after = page.at(-1)!.key;
    }
  }
}

/** Whether the document still declares the schedule as stored. Always true for schedules that people created. */
export function stillDeclared(schedule: Schedule, declared: readonly DeclaredSchedule[]): boolean {
  if (schedule.document === undefined) return true;
  const { path, schedule_id } = schedule;
  const one = declared.find(({ name }) => declaredId(path, name) === schedule_id);
  return one !== undefined && isDeepStrictEqual(asStored(specOf(path, one)), asStored(pick(schedule)));
}

/** As the records store it: JSON has no -0, for example. */
const asStored = (spec: ScheduleSpec): unknown => decodeJson(encodeJson(spec));

/** A paused schedule stays paused, and its runs stay known. If the times changed, counting starts anew. */
function next(
  id: string,
  spec: ScheduleSpec,
  document: Version,
  before: Schedule | undefined,
  now: number,
): Schedule {
  const sameTimes = before?.cron === spec.cron && before.timezone === spec.timezone;
  return {
    ...spec,
    schedule_id: id,
    document,
    paused: before?.paused ?? false,
    created_at: before?.created_at ?? now,
    settled_until: sameTimes ? before.settled_until : now,
    runs: before?.runs ?? [],
  };
}

function specOf(path: string, { name: _, ...declared }: DeclaredSchedule): ScheduleSpec {
  return { path, ...declared };
}

function pick({ path, cron, timezone, catch_up, overlap, payload, priority }: Schedule): ScheduleSpec {
  const more = priority === undefined ? {} : { priority };
  return { path, cron, timezone, catch_up, overlap, payload, ...more };
}

const isOf = (path: string, schedule: Schedule): boolean =>
  schedule.document !== undefined && schedule.path === path;

function taken({ schedule_id, path, document }: Schedule): Problem {
  const whose = document === undefined ? 'created by a person' : `declared by the document ${path}`;
  const way =
    document === undefined
      ? 'remove it with woof schedule rm, or rename the one in the document'
      : 'rename one of them';
  return new Problem('request/conflict', `a schedule "${schedule_id}" already exists, ${whose}; ${way}`);
}
