/** Runs Python code the way untrusted programs run, with any defence switched off. Test-only. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeSandbox } from './probe-sandbox.ts';
import type { SandboxSpec } from './sandbox-spec.ts';
import { type SandboxExit, spawnSandboxed } from './spawn-sandboxed.ts';

export const NOTHING = { allow_files: false, allow_network: false, allow_shell: false };
export const FILES = { ...NOTHING, allow_files: true };
export const PYTHON = '/usr/bin/python3';

const PYTHON_FOLDERS = [
  '/usr/lib/python3',
  '/usr/lib/python3.9',
  '/usr/lib/python3.10',
  '/usr/lib/python3.11',
  '/usr/lib/python3.12',
  '/usr/lib/python3.13',
];

export type Defence = Partial<SandboxSpec> & { cgroups?: boolean };

export interface Attempted extends SandboxExit {
  output: string;
}

/** Why the suite cannot run here, or undefined. A bug of our own is not a reason to skip: it throws. */
export async function whyNot(): Promise<string | undefined> {
  const { available, reason = '', fix } = await probeSandbox();
  if (available) return undefined;
  if (reason.startsWith('bubblewrap fails') && !reason.includes('bwrap: ')) throw new Error(reason);
  return `${reason}. ${fix}`;
}

export function spec(folder: Folder, code: string, { cgroups: _own, ...defence }: Defence): SandboxSpec {
  return {
    argv: [PYTHON, '-I', '-S', '-c', code],
    env: {},
    policy: NOTHING,
    workdir: folder.workdir,
    readOnly: PYTHON_FOLDERS,
    ...defence,
  };
}

export async function attempt(folder: Folder, code: string, defence: Defence = {}): Promise<Attempted> {
  const options = defence.cgroups === undefined ? {} : { cgroups: defence.cgroups };
  const { child, exited } = spawnSandboxed(spec(folder, code, defence), options);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  const closed = new Promise((resolve) => child.once('close', resolve));
  const exit = await exited;
  await closed;
  return { ...exit, output };
}

/** A working directory that contains `.woof`, and a directory outside it that contains a secret. */
export class Folder {
  readonly root: string;
  readonly workdir: string;
  readonly outside: string;

  /** `open`: an unprivileged user may use the working directory, so root can start the program as that user. */
  constructor(open: boolean) {
    this.root = mkdtempSync(join(realpathSync(tmpdir()), 'woof-sandbox-'));
    this.workdir = join(this.root, 'work');
    this.outside = join(this.root, 'outside');
    for (const folder of [this.workdir, this.outside, join(this.workdir, '.woof')]) mkdirSync(folder);
    writeFileSync(join(this.outside, 'secret'), 'the secret');
    writeFileSync(join(this.workdir, '.woof', 'secret'), 'the secret');
    writeFileSync(join(this.workdir, 'data'), 'the data');
    chmodSync(this.root, open ? 0o755 : 0o700);
    chmodSync(this.workdir, open ? 0o777 : 0o700);
    // A skipped suite creates its folders but never runs its hooks.
    process.once('exit', () => this.remove());
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
