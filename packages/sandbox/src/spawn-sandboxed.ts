/**
 * Starts an untrusted program behind the boundary and within its limits.
 *
 * Owns: the process tree and its control group, from start to removal. Does not own: timeouts and output, which the
 * caller enforces with `kill` and an `OutputKeeper`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, realpathSync, statSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { bwrapArguments, isWithin, visibleMounts } from './bwrap-arguments.ts';
import { findProgram } from './find-program.ts';
import { chooseIdentity, type Identity } from './identity.ts';
import { inheritedDescriptors } from './inherited-descriptors.ts';
import { type Chain, dyingWithParent, launchChain, setpriv } from './launch-chain.ts';
import { LimitGroup, sweepLeftGroups } from './limit-group.ts';
import { DEFAULT_MAX_PROCESSES, type SandboxSpec } from './sandbox-spec.ts';
import { seccompFilter } from './seccomp-filter.ts';

export interface SandboxedProcess {
  child: ChildProcess;
  /** Ends the whole tree, including processes that left its group or session. */
  kill(): void;
  /** Settles after the program has ended and nothing of it is left. */
  exited: Promise<SandboxExit>;
  /** If false, a process that leaves the process group is lost; the caller may search for it (`killMarked`). */
  contained: boolean;
  /** Whether the kernel has killed one of its processes because of memory so far. */
  outOfMemory(): boolean;
  /** The owner of its files, if not the user who started it. */
  user?: Identity;
  /** Changes the limit from now on. `full`: it already uses more; `impossible`: its limit cannot change. */
  changeMemory(memoryMb: number): 'done' | 'full' | 'impossible';
}

export interface SandboxExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  outOfMemory: boolean;
}

let swept = false;

export function spawnSandboxed(spec: SandboxSpec, options: { cgroups?: boolean } = {}): SandboxedProcess {
  const workdir = realpathSync(spec.workdir);
  if (workdir === '/') throw new Error('the root of the file system cannot be a working directory');
  if (spec.cwd !== undefined && !isWithin(spec.cwd, workdir)) throw new Error('cwd must be under workdir');
  const group = options.cgroups === false ? undefined : limitGroup(spec);
  try {
    const isolated = spec.isolate !== false;
    if (!isolated) return supervise(spawnBare(spec, workdir, group), group, false);
    const { child, user } = spawnBwrap(spec, workdir, group);
    return { ...supervise(child, group, true), ...(user ? { user } : {}) };
  } catch (error) {
    void group?.remove();
    throw error;
  }
}

function spawnBwrap(
  spec: SandboxSpec,
  workdir: string,
  group: LimitGroup | undefined,
): { child: ChildProcess; user: Identity | undefined } {
  const bwrap = findProgram('bwrap');
  if (bwrap === undefined) throw new Error('bubblewrap is not installed');
  const stdio = [...(spec.stdio ?? ['pipe', 'pipe', 'pipe'])];
  const argsFd = stdio.push('pipe') - 1;
  const filter = seccompFilter();
  const seccompFd = filter && stdio.push('pipe') - 1;
  const visible = visibleMounts(spec, workdir).flatMap((mount) =>
    mount.kind === 'bind' ? [mount.source] : [],
  );
  const identity = setpriv() === undefined ? undefined : chooseIdentity(spec, workdir, visible);
  const asRoot = !identity && process.getuid?.() === 0;
  if (asRoot && !filter && spec.policy.allow_files) {
    throw new Error(
      `as root, Woof cannot run untrusted code with access to files on ${process.arch}: run Woof as another user`,
    );
  }
  const command = [bwrap, '--args', String(argsFd), '--', ...spec.argv];
  const closed = inheritedDescriptors().filter((fd) => fd >= stdio.length);
  const [program = '', ...argv] = launchChain({ ...limits(spec, group, identity), closed }, command);
  const child = spawn(program, argv, { stdio, env: {}, cwd: '/', detached: true });
  // Passed through a descriptor, because every user can see a command line and the environment may hold secrets.
  const setting = { workdir, asRoot, ...(seccompFd === undefined ? {} : { seccompFd }) };
  send(child, argsFd, encode(bwrapArguments(spec, setting)));
  if (filter && seccompFd !== undefined) send(child, seccompFd, filter);
  return { child, user: identity };
}

/** The user outside who runs the program and must own its private files. Undefined: the user who starts it. */
export function identityOf(policy: SandboxSpec['policy'], workdir: string): Identity | undefined {
  if (setpriv() === undefined) return undefined;
  return chooseIdentity({ policy }, realpathSync(workdir), []);
}

/** Zero bytes separate the arguments, so a zero byte in a value could add further mounts. */
function encode(args: string[]): Buffer {
  return Buffer.from(args.map((arg) => `${arg.replaceAll('\0', '')}\0`).join(''));
}

function spawnBare(spec: SandboxSpec, workdir: string, group: LimitGroup | undefined): ChildProcess {
  const [program = '', ...argv] = launchChain(limits(spec, group), dyingWithParent(spec.argv));
  const stdio = spec.stdio ?? ['pipe', 'pipe', 'pipe'];
  return spawn(program, argv, { stdio, env: spec.env, cwd: spec.cwd ?? workdir, detached: true });
}

function supervise(child: ChildProcess, group: LimitGroup | undefined, isolated: boolean): SandboxedProcess {
  const outOfMemory = () => group?.outOfMemory() ?? false;
  const kill = () => {
    killGroup(child);
    group?.kill().catch(() => undefined);
  };
  const exited = new Promise<SandboxExit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const exit = { code, signal, outOfMemory: outOfMemory() };
      killGroup(child);
      if (isolated) return resolve(exit);
      (group?.kill() ?? Promise.resolve()).then(() => resolve(exit), reject);
    });
  });
  // When isolated, the kernel ends everything before bubblewrap exits. The empty group may be removed a little later.
  exited
    .catch(() => undefined)
    .then(() => group?.remove())
    .catch(() => undefined);
  const changeMemory = (memoryMb: number) => group?.changeMemory(memoryMb * 1024 * 1024) ?? 'impossible';
  return { child, kill, exited, contained: isolated || group !== undefined, outOfMemory, changeMemory };
}

/** The child leads its own process group. When bubblewrap dies, the kernel kills everything inside. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has no processes left.
  }
}

function send(child: ChildProcess, fd: number, bytes: Buffer): void {
  const pipe = child.stdio[fd] as Writable;
  // A program that ends early breaks the pipe; its exit tells why.
  pipe.on('error', () => undefined);
  pipe.end(bytes);
}

function limitGroup(spec: SandboxSpec): LimitGroup | undefined {
  if (!swept) sweepLeftGroups();
  swept = true;
  return LimitGroup.create({
    processes: spec.maxProcesses ?? DEFAULT_MAX_PROCESSES,
    ...(spec.memoryMb === undefined ? {} : { memoryBytes: spec.memoryMb * 1024 * 1024 }),
  });
}

/** RLIMIT_NPROC counts all threads of the user, so those already running are added. */
function limits(spec: SandboxSpec, group: LimitGroup | undefined, identity?: Identity): Chain {
  const who = identity ? { identity } : {};
  if (group) return { ...who, joinFiles: group.joinFiles };
  const most = spec.maxProcesses ?? DEFAULT_MAX_PROCESSES;
  const rlimits = {
    ...(most === Infinity ? {} : { processes: most + threadsOf(identity?.uid ?? process.getuid?.()) }),
    ...(Number.isFinite(spec.memoryMb) ? { addressSpaceBytes: spec.memoryMb! * 1024 * 1024 } : {}),
  };
  return { ...who, joinFiles: [], rlimits };
}

function threadsOf(uid: number | undefined): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const tasks = pids.map((pid) => statSync(`/proc/${pid}/task`, { throwIfNoEntry: false }));
  // A folder has two links plus one per folder in it.
  return tasks.reduce((sum, stats) => sum + (stats?.uid === uid ? Number(stats?.nlink) - 2 : 0), 0);
}
