/**
 * What is no longer needed in a data directory: files of runs that are not kept, old entries of the cell cache, stored
 * values that no log names.
 *
 * Records stay: the log and the row of every run. Invariant: a stored value is removed only if every log was read to
 * its end, none names it, and it is a day old: a process may have stored it but not yet recorded it.
 */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeJson } from '@woof/net';
import { everyExecution, type ReadStore } from '@woof/stores';
import { folderName, removeBundles } from '@woof/tools/bundle';
import { staleEntries } from '@woof/worker';
import { runsOf } from '../data-directory.ts';
import { type AgedRow, DAY_MS, expiredRuns } from './expired-runs.ts';
import type { RetentionLimits } from './retention-limits.ts';
import { sizeOf } from './size-of.ts';

export interface Garbage {
  kind: 'bundles' | 'logs' | 'cells' | 'blobs';
  path: string;
  bytes: number;
  run?: string;
}

export interface Yard {
  path: string;
  /** Absent if the directory has no log, for example that of a worker. */
  store?: ReadStore;
}

/** For runs: bundles and the output of tasks. */
export async function garbageOfRuns(
  { path, store }: Yard,
  limits: RetentionLimits,
  now: number,
): Promise<Garbage[]> {
  const rows = store === undefined ? [] : await agedRows(store);
  const expired = new Map(
    expiredRuns(rows, limits, now).map((row) => [folderName(row.execution_id), row.execution_id]),
  );
  const known = new Set(rows.map((row) => folderName(row.execution_id)));
  const found: Garbage[] = [];
  for (const [kind, folder, ending] of [
    ['bundles', runsOf({ path }), ''],
    ['logs', join(path, 'logs'), '.jsonl'],
  ] as const) {
    for (const name of await namesIn(folder)) {
      if (!name.endsWith(ending)) continue;
      const id = name.slice(0, name.length - ending.length);
      const full = join(folder, name);
      const goes = known.has(id) ? expired.has(id) : await isOlder(full, limits.keepDays, now);
      if (goes) found.push({ kind, path: full, bytes: await sizeOf(full), run: expired.get(id) ?? id });
    }
  }
  return found;
}

async function agedRows(store: ReadStore): Promise<AgedRow[]> {
  const rows: AgedRow[] = [];
  for await (const { execution_id, name, path, file, status, ended_at, parent } of everyExecution(store))
    rows.push({ execution_id, name, path, file, status, ended_at, parent });
  return rows;
}

export async function garbageOfCells({ path }: Yard, now: number): Promise<Garbage[]> {
  const stale = (await staleEntries(join(path, 'cells'), now)) ?? [];
  return stale.map(({ path: file, size }) => ({ kind: 'cells', path: file, bytes: size }));
}

export async function garbageOfBlobs({ path, store }: Yard, now: number): Promise<Garbage[]> {
  if (store === undefined) return [];
  const folder = join(path, 'blobs');
  const candidates = new Map<string, string>();
  for (const prefix of await namesIn(folder)) {
    for (const rest of await namesIn(join(folder, prefix))) {
      const full = join(folder, prefix, rest);
      if (await isOlder(full, 1, now)) candidates.set(prefix + rest, full);
    }
  }
  for await (const row of candidates.size > 0 ? everyExecution(store) : []) {
    for await (const { events } of store.read(row.execution_id)) {
      for (const digest of encodeJson(events).match(/[0-9a-f]{64}/g) ?? []) candidates.delete(digest);
    }
  }
  const found: Garbage[] = [];
  for (const full of candidates.values())
    found.push({ kind: 'blobs', path: full, bytes: await sizeOf(full) });
  return found;
}

export async function remove(garbage: readonly Garbage[]): Promise<void> {
  for (const { path } of garbage) await removeBundles(path);
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort();
}

async function isOlder(path: string, days: number, now: number): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats !== undefined && now - stats.mtimeMs >= days * DAY_MS;
}
