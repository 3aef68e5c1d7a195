/** The lock file must be sufficient to install from: on every supported platform, byte for byte what was tested. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Entry {
  link?: boolean;
  resolved?: string;
  integrity?: string;
  optionalDependencies?: Record<string, string>;
}

const REGISTRY = 'https://registry.npmjs.org/';
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

const lock = JSON.parse(readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8'));
const entries = Object.entries(lock.packages as Record<string, Entry>);
const fetched = entries.filter(([path, entry]) => path.includes('node_modules/') && !entry.link);

test('every package comes from the public registry, with its hash', () => {
  const incomplete = fetched.filter(
    ([, { resolved, integrity }]) => !resolved?.startsWith(REGISTRY) || !integrity?.startsWith('sha512-'),
  );
  expect(incomplete.map(([path]) => path)).toEqual([]);
  expect(fetched.length).toBeGreaterThan(100);
});

test('binaries are locked for every supported platform', () => {
  const names = new Set(fetched.map(([path]) => path.split('node_modules/').at(-1)));
  const wanted = entries
    .flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}))
    .filter((name) => PLATFORMS.some((platform) => name.includes(platform)));
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
  for (const platform of PLATFORMS) {
    expect(wanted.filter((name) => name.includes(platform)).length, platform).toBeGreaterThan(5);
  }
});
