/**
 * Keeps the cell cache within limits: removes old entries, then the least recently written until it is small enough.
 */
import { promises } from 'node:fs';
import { join } from 'node:path';

export interface CacheBounds {
  maxAgeMs: number;
  maxBytes: number;
  /** The cache is checked no more often than this. */
  everyMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
export const CACHE_BOUNDS: CacheBounds = { maxAgeMs: 90 * DAY_MS, maxBytes: 2 * 1024 ** 3, everyMs: DAY_MS };

/** The number of entries removed; 0 if the cache was checked recently. */
export async function pruneCache(folder: string, now: number, bounds = CACHE_BOUNDS): Promise<number> {
  const marker = join(folder, '.pruned');
  const last = await promises.stat(marker).catch(() => undefined);
  if (last && now - last.mtimeMs < bounds.everyMs) return 0;
  const stale = await staleEntries(folder, now, bounds);
  if (stale === undefined) return 0;
  await promises.writeFile(marker, '');
  await promises.utimes(marker, now / 1000, now / 1000);
  for (const { path } of stale) await promises.rm(path, { force: true });
  return stale.length;
}

/** Undefined if there is no cache. */
export async function staleEntries(
  folder: string,
  now: number,
  bounds = CACHE_BOUNDS,
): Promise<{ path: string; size: number }[] | undefined> {
  const entries = await entriesOf(folder);
  if (entries.length === 0) return undefined;
  entries.sort((a, b) => b.mtimeMs - a.mtimeMs);
  let bytes = 0;
  return entries.filter((entry) => {
    bytes += entry.size;
    return bytes > bounds.maxBytes || now - entry.mtimeMs > bounds.maxAgeMs;
  });
}

async function entriesOf(folder: string): Promise<{ path: string; size: number; mtimeMs: number }[]> {
  const names = await promises.readdir(folder, { recursive: true }).catch(() => []);
  const paths = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
  return Promise.all(
    paths.map(async (path) => {
      const { size, mtimeMs } = await promises.stat(path);
      return { path, size, mtimeMs };
    }),
  );
}
