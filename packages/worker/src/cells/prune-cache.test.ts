import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pruneCache } from './prune-cache.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'woof-prune-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const NOW = 1_700_000_000_000;

function entry(name: string, bytes: number, ageMs: number): string {
  const path = join(folder, name.slice(0, 2), `${name}.json`);
  mkdirSync(join(folder, name.slice(0, 2)), { recursive: true });
  writeFileSync(path, 'x'.repeat(bytes));
  utimesSync(path, (NOW - ageMs) / 1000, (NOW - ageMs) / 1000);
  return path;
}

it('drops entries that are too old, then the oldest until it is small enough, no more often than needed', async () => {
  const fresh = entry('aa1', 40, 1);
  const middle = entry('bb1', 40, 10);
  const large = entry('cc1', 40, 20);
  const old = entry('dd1', 1, 1000);
  const bounds = { maxAgeMs: 500, maxBytes: 100, everyMs: 50 };
  expect(await pruneCache(folder, NOW, bounds)).toBe(2);
  expect([fresh, middle, large, old].map((path) => existsSync(path))).toEqual([true, true, false, false]);
  entry('ee1', 1, 1000);
  expect(await pruneCache(folder, NOW + 10, bounds)).toBe(0);
  expect(await pruneCache(folder, NOW + 60, bounds)).toBe(1);
});

it('accepts a missing folder', async () => {
  expect(await pruneCache(join(folder, 'none'), NOW)).toBe(0);
});
