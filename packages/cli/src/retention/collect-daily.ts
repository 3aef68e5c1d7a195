/** Retention is on by default: the first run of a day that ends also removes what its directory keeps no longer. */
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WritableData } from '../data-directory.ts';
import { DAY_MS } from './expired-runs.ts';

/** A directory that was never looked at is new: it begins to count. */
export async function collectDaily(data: WritableData, now = Date.now()): Promise<void> {
  const marker = join(data.path, '.collected');
  const last = statSync(marker, { throwIfNoEntry: false });
  if (last && now - last.mtimeMs < DAY_MS) return;
  writeFileSync(marker, '');
  utimesSync(marker, now / 1000, now / 1000);
  if (last === undefined) return;
  const { garbageOfRuns, remove } = await import('./garbage.ts');
  const { retentionLimits } = await import('./retention-limits.ts');
  const limits = await retentionLimits(data.path);
  if (limits) await remove(await garbageOfRuns(data, limits, now));
}
