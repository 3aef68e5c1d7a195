/**
 * A real NATS server with JetStream in a temporary folder, for tests: on loopback. It can be crashed and restarted on
 * the same port and data, and it ends with the process that started it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.ts';

/** Closing its stdin, which also happens when this process ends, ends the server at once. */
const KEEPER = `"$@" & server=$!; read -r _; kill -KILL $server 2>/dev/null; wait $server`;

/** Why this machine has no NATS server; undefined if it has one. */
export function natsReason(): string | undefined {
  return findServer() === undefined ? 'no nats-server: on Debian, apt install nats-server' : undefined;
}

/** `args`: extra arguments for the server, such as `--auth TOKEN`. */
export async function startNats(args: string[] = []): Promise<NatsServer> {
  const program = findServer();
  if (program === undefined) throw new Error(natsReason());
  const folder = mkdtempSync(join(tmpdir(), 'woof-nats-'));
  const server = new NatsServer(program, folder, await freePort(), args);
  await server.start();
  return server;
}

export class NatsServer {
  private keeper: ChildProcess | undefined;

  constructor(
    private readonly program: string,
    private readonly folder: string,
    readonly port: number,
    private readonly args: string[],
  ) {
    process.once('exit', this.end);
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const log = join(this.folder, 'log');
    const own = ['-a', '127.0.0.1', '-p', String(this.port), '-js', '-sd', this.folder, '-l', log];
    this.keeper = spawn('bash', ['-c', KEEPER, 'keeper', this.program, ...own, ...this.args], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    for (let attempt = 1; !(await greets(this.port)); attempt++) {
      if (attempt === 200) throw new Error(`nats-server does not start:\n${readFileSync(log, 'utf8')}`);
      await sleep(50);
    }
  }

  /** As if the kernel killed it. */
  async kill(): Promise<void> {
    const { keeper } = this;
    if (keeper === undefined || keeper.exitCode !== null) return;
    const ended = new Promise((resolve) => keeper.once('close', resolve));
    keeper.stdin!.end();
    await ended;
  }

  async dispose(): Promise<void> {
    await this.kill();
    process.off('exit', this.end);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private readonly end = (): void => void this.keeper?.stdin?.destroy();
}

/** The server speaks first. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('data', () => {
      resolve(true);
      socket.destroy();
    });
  });
}

function findServer(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/bin'];
  return folders.map((folder) => join(folder, 'nats-server')).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
