/**
 * Retention is on by default: the first run of a day that ends, and a worker now and then, remove what their directory
 * keeps no longer.
 */
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DataDirectory, holdsLog, openForReading } from '../data-directory.ts';
import { removeGoneDrivers } from '../drivers/drivers.ts';
import { DAY_MS } from './expired-runs.ts';
import type { Yard } from './garbage.ts';

/** A directory that was never looked at is new: it begins to count. */
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

/** For a process that stays: asks every hour whether a day is over. The run of a server elsewhere has no record here. */
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
