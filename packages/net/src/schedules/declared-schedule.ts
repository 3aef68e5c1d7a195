/** A schedule that a document declares in its text. It takes effect once the document is registered at a server. */
import type { JsonObject } from '../json.ts';
import type { CatchUp, Overlap } from './schedule-policies.ts';

export interface DeclaredSchedule {
  /** Distinguishes several schedules of one document. */
  name?: string;
  cron: string;
  timezone: string;
  catch_up: CatchUp;
  overlap: Overlap;
  payload: JsonObject;
  priority?: number;
}

/** The defaults. */
export const SCHEDULE_DEFAULTS = { timezone: 'UTC', catch_up: 'skip', overlap: 'skip' } as const;

/** The record is rewritten with every run. */
export const LARGEST_PAYLOAD = 64 * 1024;

/** The id of the schedule at a server: the path of its document with dots, and its name. */
export function declaredId(path: string, name: string | undefined): string {
  const dotted = path.replaceAll('/', '.');
  return name === undefined ? dotted : `${dotted}.${name}`;
}
