/** An attempt without any defence: the plain interpreter, under the same user, with the user's privileges. */
import type { ChildProcess } from 'node:child_process';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attempt } from './attempt.ts';
import { withPrelude } from './prelude.ts';
import { PYTHON, type World } from './world.ts';

export interface Bare {
  output: string;
  /** The status that a host records if it believes every line. */
  believed: 'succeeded' | 'failed';
  cells: string[];
  keptBytes: number;
  /** Ends the processes that are left of it. */
  end(): void;
}

export async function runBare(
  world: World,
  attempt: Attempt,
  token: string,
  secretFd: number,
): Promise<Bare> {
  const outputs = join(world.work, `bare-${token}.out`);
  writeFileSync(outputs, '');
  const facts = { ...world.factsOf(token), outputs };
  const command = commandOf(attempt, withPrelude(attempt.language ?? 'python', facts, attempt.code));
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe', 'ignore', secretFd, 'ignore', secretFd];
  const whole = attempt.privileged ? [...inOwnNamespaces(world), ...command] : command;
  const child = world.spawn(whole, stdio);
  let output = '';
  for (const stream of [1, 2, 3]) {
    (child.stdio[stream] as NodeJS.ReadableStream).on('data', (chunk) => {
      output += String(chunk);
    });
  }
  if (attempt.endless) await askedToStop(child);
  // Processes that it leaves behind may hold its pipes, so this waits for its exit and not for the end of the pipes.
  else await new Promise((resolve) => child.once('exit', resolve));
  await afterAWholePoll();
  keepTrustingly(outputs, output);
  const said = output.split('\n').flatMap(parsed);
  const done = said.some((line) => line.kind === 'end') || child.exitCode === 0;
  return {
    output,
    keptBytes: output.length,
    believed: done ? 'succeeded' : 'failed',
    cells: said.map((line) => String(line.cell)),
    end: () => stop(child),
  };
}

/**
 * When everything that stood in the pipes has been read. An end can be noticed in a turn whose reads were chosen before
 * it, by the end of another child; the turn after it reads them all, since a pipe holds less than one turn takes.
 */
async function afterAWholePoll(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function commandOf({ language = 'python' }: Attempt, code: string): string[] {
  if (language === 'python') return [PYTHON, '-c', code];
  if (language === 'bash') return ['/bin/bash', '--norc', '-c', code];
  return [process.execPath, '-e', `(async () => {${code}\nprocess.exit(0); })()`];
}

/** As root of namespaces of its own, with a read-only mount, a mount that hides and a small disk to play with. */
function inOwnNamespaces(world: World): string[] {
  const script = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount -t tmpfs -o size=4k none "$2" &&
mount -t tmpfs -o size=100m none /dev/shm && shift 2 && exec "$@"`;
  const unshare = ['unshare', '--user', '--map-root-user', '--mount', '--net', '--uts', '--ipc'];
  return [...unshare, 'sh', '-c', script, 'sh', `${world.outside}/ro`, `${world.work}/.woof`];
}

/** Like a host that trusts the cell: any file with these names counts as its output. */
function keepTrustingly(outputs: string, text: string): void {
  appendFileSync(outputs, text);
  writeFileSync(`${outputs}.new`, text);
  renameSync(`${outputs}.new`, outputs);
}

/**
 * As a host does that trusts: it waits for the work to begin, interrupts it, and takes that for its end. A process that
 * survives the signal says that it heard it.
 */
async function askedToStop(child: ChildProcess): Promise<void> {
  await saidOrEnded(child, 'ready');
  child.kill('SIGINT');
  await saidOrEnded(child, 'heard');
}

function saidOrEnded(child: ChildProcess, word: string): Promise<void> {
  let output = '';
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes(word)) resolve();
    });
    child.once('exit', () => resolve());
  });
}

function stop(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

function parsed(line: string): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? [value as Record<string, unknown>] : [];
  } catch {
    return [];
  }
}
