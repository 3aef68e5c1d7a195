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

/** A python3, first on the PATH, that answers as one without the module. */
async function installWithout(module: string): Promise<string> {
  const python = join(root, 'python3');
  const answer = `case "$*" in
  *version_info*) printf '%s\\n11\\n' "$0" ;;
  *) echo "ModuleNotFoundError: No module named '${module}'" >&2; exit 1 ;;
esac`;
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

it('a Python without ensurepip names the package to install, and what dead builders left is swept', async () => {
  const message = await installWithout('ensurepip').catch((error: Error) => error.message);
  expect(message).toMatch(/the module ensurepip is missing\..*apt install python3-venv/);
  expect(readdirSync(join(root, 'environments'))).toEqual(['.building-new']);
});
