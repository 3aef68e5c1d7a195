/** What npm start and npm test install, with an apt-get that only writes down how it was called, and what npm test concludes. */
import { chmodSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { itUnless } from '@woof/testkit/unless';
import { describe, expect, it } from 'vitest';
import { isBuilt, markBuilt } from '../../scripts/build-stamp.mjs';
import { driverDigest } from '../../scripts/driver-digest.mjs';
import { type Counts, verdict } from '../../scripts/test-verdict.mjs';
import { root, start, temporaryFolder } from '../cli/woof.ts';

const TOOLS = pathToFileURL(join(root, 'scripts', 'machine-tools.mjs')).href;
const notHere = process.platform === 'linux' ? undefined : 'packages are installed on Linux only';
const notRoot = notHere ?? (process.getuid?.() === 0 ? undefined : 'only root installs packages');

/** On a PATH with nothing but apt-get, every program is missing. */
async function provideTools(env: Record<string, string> = {}) {
  const folder = temporaryFolder({ 'apt-get': '#!/bin/sh\necho "$@" >> called\n' });
  chmodSync(join(folder, 'apt-get'), 0o755);
  const program = `(await import(${JSON.stringify(TOOLS)})).provideTools({ forTests: false })`;
  const args = ['--input-type=module', '-e', program];
  const ran = await start(process.execPath, args, { cwd: folder, env: { ...env, PATH: folder } }).ended;
  const calls = join(folder, 'called');
  return { ...ran, calls: existsSync(calls) ? readFileSync(calls, 'utf8') : '' };
}

itUnless(notRoot)('what is installed is said, with the reason and how to prevent it', async () => {
  const { status, stderr, calls } = await provideTools({ WOOF_NO_INSTALL: '' });
  expect(status).toBe(0);
  expect(stderr).toMatch(/bubblewrap +the sandbox for Python and shell tasks\n +python3 +Python tasks/);
  expect(stderr).toContain('WOOF_NO_INSTALL=1 keeps it as it is');
  expect(calls).toContain('install -y --no-install-recommends bubblewrap python3');
});

itUnless(notHere)('WOOF_NO_INSTALL=1 installs nothing, and says what is missing', async () => {
  const { status, stderr, calls } = await provideTools({ WOOF_NO_INSTALL: '1' });
  expect([status, calls]).toEqual([0, '']);
  expect(stderr).toContain('They are not installed: WOOF_NO_INSTALL is set.');
  expect(stderr).toContain('sudo apt-get install -y --no-install-recommends bubblewrap python3');
});

it('bundles are built again for changed sources and for another Node', () => {
  const names = ['packages', 'bench', 'scripts', 'docs', 'package.json', 'package-lock.json'];
  const clone = temporaryFolder(Object.fromEntries(names.map((name) => [name, ''])));
  expect(isBuilt(clone)).toBe(false);
  markBuilt(clone);
  expect([isBuilt(clone), isBuilt(clone, 'v99.0.0')]).toEqual([true, false]);
  const later = new Date(Date.now() + 60_000);
  utimesSync(join(clone, 'packages'), later, later);
  expect(isBuilt(clone)).toBe(false);
});

it('the digest of drivers changes with their code, but not with tests or compiled Python', () => {
  const folder = temporaryFolder({
    'r-core.R': 'x <- 1',
    'test_core.py': '',
    'driver.test.ts': '',
    'a.pyc': '',
  });
  const before = driverDigest(folder);
  for (const name of ['test_core.py', 'driver.test.ts', 'a.pyc']) writeFileSync(join(folder, name), 'more');
  expect(driverDigest(folder)).toBe(before);
  writeFileSync(join(folder, 'r-core.R'), 'x <- 2');
  expect(driverDigest(folder)).not.toBe(before);
});

describe('npm test', () => {
  const counts: Counts = { passed: 3, failed: 0, skipped: 1, skips: ['a: b'], again: [], slowest: [] };
  const of = (run: Partial<Counts>, checked = 0, left: string[] = []) => {
    const { lines, passed } = verdict({ runs: [{ ...counts, ...run }], checked, left });
    return { passed, last: lines.at(-1), said: lines.join('\n') };
  };

  it('passes with one flaky test, and names it', () => {
    const one = of({ again: ['shop > opens: late'] });
    expect(one).toMatchObject({ passed: true, last: '3 passed, 0 failed, 1 skipped, 1 flaky' });
    expect(one.said).toContain('flaky, passed on the second try: shop > opens: late');
  });

  it.each([
    ['two flaky tests', of({ again: ['a', 'b'] }), '2 tests are flaky'],
    ['checks that failed', of({}, 1), 'The checks above failed.'],
    [
      'what tests left',
      of({}, 0, ['woof-s3-a1', 'woof-s3-b2']),
      'left 2 entries .* woof-s3-a1, woof-s3-b2\\.',
    ],
  ])('fails with %s', (_, { passed, last, said }, complaint) => {
    expect([passed, last]).toEqual([false, expect.stringContaining('3 passed, 1 failed')]);
    expect(said).toMatch(new RegExp(complaint));
  });

  it('does not ask a test that failed to clean up', () => {
    expect(of({ failed: 1 }, 0, ['woof-s3-a1'])).toMatchObject({
      passed: false,
      last: '3 passed, 1 failed, 1 skipped, 0 flaky',
    });
  });
});
