/**
 * Retention is on by default: the first run that ends each day, and periodically a worker, remove what their directory
 * no longer keeps.
 */
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DataDirectory, holdsLog, openForReading } from '../data-directory.ts';
import { removeGoneDrivers } from '../drivers/drivers.ts';
import { DAY_MS } from './expired-runs.ts';
import type { Yard } from './garbage.ts';

/** A directory that was never collected is new: its first day begins now. */
export async function collectDaily(data: Yard, now = Date.now()): Promise<void> {
  const marker = join(data.path, '.collected');
  const last = statSync(marker, { throwIfNoEntry: false });
  if (last && now - last.mtimeMs < DAY_MS) return;
  writeFileSync(marker, '');
  utimesSync(marker, now / 1000, now / 1000);
  if (last === undefined) return;
  removeGoneDrivers(data.path);
  const { garbageOfRuns, remove } = await import('./garbage.ts');
  const { retentionLimits } = await import('./retention-limits.ts');
  const limits = await retentionLimits(data.path);
  if (limits) await remove(await garbageOfRuns(data, limits, now));
}

const HOUR_MS = 3_600_000;

/**
 * For a long-running process: checks every hour whether a day has passed. Runs of a server elsewhere have no record
 * here.
 */
export function collectWhileUp(data: DataDirectory, onFault: (error: unknown) => void): void {
  const look = async () => {
    const opened = holdsLog(data) ? openForReading(data.path) : undefined;
    try {
      await collectDaily({ path: data.path, ...(opened ? { store: opened.store } : {}) });
    } finally {
      await opened?.store.close();
    }
  };
  const again = () => void look().catch(onFault);
  const timer = setInterval(again, HOUR_MS);
  timer.unref();
  setImmediate(again);
}
