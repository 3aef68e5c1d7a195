/**
 * Starts an untrusted program in a container, and gives it one channel beside its three streams.
 *
 * The channel is a socket in a folder that the container sees read-only. The program itself connects first, before it
 * runs any code that is not ours. After that the socket is gone, so nobody else can connect.
 *
 * Owns: the container, from start to removal, by its name. Killing the client would leave the container running.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxExit, SandboxedProcess } from '../spawn-sandboxed.ts';
import {
  type ContainerSpec,
  containerArguments,
  containerUser,
  environmentFile,
} from './container-arguments.ts';
import { type ContainerEngine, findContainerEngine } from './container-engine.ts';

export interface ContainedProcess extends SandboxedProcess {
  /** Connected. */
  channel: Socket;
}

/** How much of the engine's output to keep until the program connects. */
const LONGEST_COMPLAINT = 4000;
/** The engine's exit code for a program that was killed, by us or by the out-of-memory killer. */
const KILLED = 137;
/** How long the client may take to exit after its container has ended. */
const LEAVE_MS = 3000;

export async function spawnContained(spec: ContainerSpec): Promise<ContainedProcess> {
  const engine = await findContainerEngine();
  const server = createServer();
  try {
    return await inFolder(async (outer) => {
      const folder = join(outer, 'channel');
      mkdirSync(folder, { mode: 0o755 });
      await listen(server, folder);
      const running = start(spec, engine, outer, folder);
      const channel = await connected(server, running, spec.image);
      return { ...running, channel };
    });
  } finally {
    // This also removes the socket.
    server.close();
  }
}

/** Starts a program in a container with its three streams and no channel. */
export async function runContained(spec: ContainerSpec): Promise<SandboxedProcess> {
  const engine = await findContainerEngine();
  return inFolder(async (outer) => start(spec, engine, outer));
}

/** No other user of this machine can enter the folder. It is removed when the container has ended. */
async function inFolder<P extends SandboxedProcess>(use: (outer: string) => Promise<P>): Promise<P> {
  const outer = mkdtempSync(join(realpathSync(tmpdir()), 'woof-channel-'));
  // Remove it only after the container's end: a deleted working directory has no name.
  const remove = () => rmSync(outer, { recursive: true, force: true });
  try {
    const running = await use(outer);
    void running.exited.then(remove, remove);
    return running;
  } catch (error) {
    remove();
    throw error;
  }
}

function start(
  spec: ContainerSpec,
  engine: ContainerEngine,
  outer: string,
  channel?: string,
): SandboxedProcess {
  const [empty, envFile] = [join(outer, 'empty'), join(outer, 'environment')];
  mkdirSync(empty, { mode: 0o755 });
  writeFileSync(envFile, environmentFile(spec.env), { mode: 0o600 });
  const container = `woof-${process.pid}-${randomBytes(6).toString('hex')}`;
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const setting = {
    engine: engine.name,
    container,
    ...(channel === undefined ? {} : { channel }),
    empty,
    envFile,
    uid,
    gid,
  };
  const args = containerArguments(spec, setting);
  const child = spawn(engine.program, args, { stdio: ['pipe', 'pipe', 'pipe'], cwd: '/', detached: true });
  const running = supervise(child, engine, container, Number.isFinite(spec.memoryMb));
  return { ...running, user: containerUser(spec, { uid, gid }) };
}

/** Any user that the container runs as may connect. */
async function listen(server: Server, folder: string): Promise<void> {
  const path = join(folder, 'channel');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o666);
  chmodSync(folder, 0o755);
}

function connected(
  server: Server,
  { child, exited, kill }: SandboxedProcess,
  image: string,
): Promise<Socket> {
  let complaint = '';
  const listener = (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-LONGEST_COMPLAINT);
  };
  child.stderr?.on('data', listener);
  return new Promise((resolve, reject) => {
    server.once('connection', (socket) => {
      child.stderr?.off('data', listener);
      resolve(socket);
    });
    const fail = (how: string) => {
      kill();
      reject(new Error(`the container of ${image} cannot start: ${complaint.trim() || how}`));
    };
    // Output may arrive after the exit.
    child.once('close', (code) => fail(`it ended with exit code ${code}`));
    exited.catch((error: Error) => fail(error.message));
  });
}

function supervise(
  child: ChildProcess,
  { program }: ContainerEngine,
  container: string,
  limited: boolean,
): SandboxedProcess {
  const tell = (...args: string[]) =>
    new Promise<boolean>((resolve) => execFile(program, args, (error) => resolve(error === null)));
  let killed: Promise<boolean> | undefined;
  let ended = false;
  const kill = () => {
    if (ended) return;
    killed ??= tell('kill', container).then((was) => {
      // The container has ended, or does not exist yet. In the second case the client must not start it any more.
      if (!was) setTimeout(() => child.kill('SIGKILL'), LEAVE_MS).unref();
      return was;
    });
  };
  const exited = new Promise<SandboxExit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      ended = true;
      void settle(code, signal).then(resolve);
    });
  });
  const settle = async (code: number | null, signal: NodeJS.Signals | null): Promise<SandboxExit> => {
    const ours = (await killed) === true;
    // A client that was itself killed leaves its container behind.
    if (signal !== null) await tell('rm', '--force', container);
    return { code, signal, outOfMemory: limited && !ours && code === KILLED };
  };
  const changeMemory = () => 'impossible' as const;
  return { child, kill, exited, contained: true, outOfMemory: () => false, changeMemory };
}
