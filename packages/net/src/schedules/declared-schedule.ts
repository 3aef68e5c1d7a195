/** A schedule that a document carries in its text: when it starts, once it is registered at a server. */
import type { JsonObject } from '../json.ts';
import type { CatchUp, Overlap } from './schedule-policies.ts';

export interface DeclaredSchedule {
  /** Tells several of one document apart. */
  name?: string;
  cron: string;
  timezone: string;
  catch_up: CatchUp;
  overlap: Overlap;
  payload: JsonObject;
  priority?: number;
}

/** What is meant where nothing is said. */
export const SCHEDULE_DEFAULTS = { timezone: 'UTC', catch_up: 'skip', overlap: 'skip' } as const;

/** The record is written anew with every run. */
export const LARGEST_PAYLOAD = 64 * 1024;

/** How the schedule is called at a server: the path of its document with dots, and its name. */
export function declaredId(path: string, name: string | undefined): string {
  const dotted = path.replaceAll('/', '.');
  return name === undefined ? dotted : `${dotted}.${name}`;
}
