import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'woof-environment-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
  rmSync(root, { recursive: true });
});

/** Puts a python3 first on the PATH that answers to its arguments according to these shell cases. */
async function installWith(cases: string): Promise<string> {
  const python = join(root, 'python3');
  const answer = `case "$*" in\n*version_info*) printf '%s\\n11\\n' "$0" ;;\n${cases}\nesac`;
  writeFileSync(python, `#!/bin/sh\n${answer}\n`);
  chmodSync(python, 0o755);
  chmodSync(root, 0o755);
  vi.stubEnv('PATH', `${root}:${process.env.PATH}`);
  vi.resetModules();
  const { installEnvironment } = await import('./python-environment.ts');
  const environments = join(root, 'environments');
  mkdirSync(environments);
  mkdirSync(join(environments, '.building-old'));
  mkdirSync(join(environments, '.building-new'));
  utimesSync(join(environments, '.building-old'), 1, 1);
  return installEnvironment({ root: environments, requirements: ['some-package'] });
}

it('a Python without ensurepip names the package to install, and leftovers of dead builders are removed', async () => {
  const missing = `*) echo "ModuleNotFoundError: No module named 'ensurepip'" >&2; exit 1 ;;`;
  const message = await installWith(missing).catch((error: Error) => error.message);
  expect(message).toMatch(/the module ensurepip is missing\..*apt install python3-venv/);
  expect(readdirSync(join(root, 'environments'))).toEqual(['.building-new']);
});

it.each([
  ['True', 'venv failed: -I -m venv --system-site-packages --without-pip '],
  ['False', 'venv failed: -I -m venv --system-site-packages /'],
])(
  'whether the interpreter has pip (%s) decides whether the environment gets its own',
  async (has, asked) => {
    const told = `*find_spec*) echo ${has} ;;\n*) echo "$*"; exit 1 ;;`;
    await expect(installWith(told)).rejects.toThrow(asked);
  },
);
