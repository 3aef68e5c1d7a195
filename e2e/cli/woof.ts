/** Runs the real program, as a person or a script would: `node bin/woof …` in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, TestRunner } from 'vitest';
import { afterFile } from '../after-file.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Ran {
  /** Exit status; -1 if a signal ended it. */
  status: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd: string;
  env?: Record<string, string>;
  input?: string;
  /** Its input stays open, for a test that types. */
  typing?: true;
}

export interface Running {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  ended: Promise<Ran>;
}

export function runWoof(args: readonly string[], options: RunOptions): Promise<Ran> {
  return startWoof(args, options).ended;
}

export function startWoof(args: readonly string[], options: RunOptions): Running {
  return start(process.execPath, [join(root, 'bin', 'woof'), ...args], options);
}

export function start(program: string, args: readonly string[], options: RunOptions): Running {
  const { NO_COLOR: _, FORCE_COLOR: __, WOOF_DATA: ___, NODE_EXTRA_CA_CERTS: ____, ...outer } = process.env;
  const child = spawn(program, args, { cwd: options.cwd, env: { ...outer, ...options.env } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  // It may end before it has read its input.
  child.stdin.on('error', () => {});
  if (!options.typing) child.stdin.end(options.input ?? '');
  living.add(child);
  child.once('exit', () => living.delete(child));
  whenOver(() => {
    child.kill('SIGKILL');
  });
  const ended = new Promise<Ran>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ status: code ?? -1, stdout, stderr }));
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

export function temporaryFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'woof-e2e-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  whenOver(() => {
    unlock(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Runs when the calling test is over, or when the file is over if a hook calls this. */
function whenOver(clean: () => void): void {
  if (TestRunner.getCurrentTest() === undefined) afterFile(clean);
  else onTestFinished(clean);
}

/** Processes that an interrupted run of the tests would leave behind. */
const living = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** Bundles are read-only: without root, they can be removed only after that is undone. */
export function unlock(folder: string): void {
  if (!existsSync(folder)) return;
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) unlock(join(folder, entry.name));
  }
}

/** The sockets of the processes that drive runs of a data directory. */
export function socketsOf(data: string): string[] {
  const folder = join(data, 'drivers');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sock'))
    .map((name) => join(folder, name));
}

/** A playbook around the given steps. */
export function playbook(workflow: string, more = ''): string {
  const head = 'apiVersion: noetl.io/v10\nkind: Playbook\nmetadata: {name: test}\n';
  return `${head}${more}workflow:\n${workflow.replaceAll(/^(?=.)/gm, '  ')}`;
}

/** The last line of stdout, as `--json` promises. */
export function lastJson<T = Account>(ran: Ran): T {
  const line = ran.stdout.trimEnd().split('\n').at(-1) ?? '';
  try {
    return JSON.parse(line) as T;
  } catch {
    throw new Error(`no JSON at the end of stdout: ${JSON.stringify(ran)}`);
  }
}

export interface Account {
  execution_id: string;
  status: string;
  steps: Record<string, { status: string; runs: number; result?: unknown; error?: { message: string } }>;
  error?: { message: string; step?: string; task?: string };
}

/** Waits for a condition; the deadline only turns a hang into a message. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 500_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export function textOf(folder: string, name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}
