/** What npm start and npm test install on the machine: with an apt-get that only writes down how it was called. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { itUnless } from '@woof/testkit/unless';
import { expect } from 'vitest';
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
