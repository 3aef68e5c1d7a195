/**
 * What attempts aim at, all of it made here: folders, secrets, a home, a process that listens.
 *
 * Owns: making it for a user, asking what arrived, taking it away. Does not own: how an attempt is run.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Seen } from './attempt.ts';
import BYSTANDER from './bystander.py?raw';

export const PYTHON = '/usr/bin/python3';
const BECOME = '/usr/bin/setpriv';
const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const PARTS_OF_WOOF = [
  'bin',
  'dist/cli',
  'package.json',
  'node_modules/@photostructure/sqlite',
  'node_modules/node-gyp-build',
];

export interface Who {
  title: string;
  /** Run as another user. */
  uid?: number;
  /** Everybody may use the folders, so that the sandbox of root need not be root. */
  open?: true;
}

/** What the code of an attempt knows of the world, beside its own token, file and pipe. */
export type Facts = Record<string, string | number>;

export class World {
  readonly root = mkdtempSync(join(realpathSync(tmpdir()), 'woof-escape-'));
  readonly work = join(this.root, 'work');
  readonly outside = join(this.root, 'outside');
  readonly home = join(this.root, 'home');
  readonly secret = `secret-${randomBytes(12).toString('hex')}`;
  readonly env: Record<string, string>;
  received = '';
  facts: Facts = {};
  private tokens: readonly string[] = [];
  private bystander: ChildProcess | undefined;

  constructor(readonly who: Who) {
    this.env = {
      PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
      HOME: this.home,
      NO_COLOR: '1',
      WOOF_TEST_SECRET: this.secret,
    };
    for (const folder of ['work', 'work/.woof', 'work/state', 'outside', 'outside/ro', 'home'])
      mkdirSync(join(this.root, folder));
    for (const file of [
      'work/.woof/secret',
      'work/state/secret',
      'work/data',
      'outside/secret',
      'home/.netrc',
    ])
      writeFileSync(join(this.root, file), this.secret);
    symlinkSync(join(this.outside, 'secret'), join(this.work, 'link'));
    process.once('exit', () => rmSync(this.root, { recursive: true, force: true }));
  }

  /** Where this user can start Woof: the checkout, or a copy if the user may not read the checkout. */
  get woof(): string {
    return existsSync(join(this.root, 'woof'))
      ? join(this.root, 'woof/bin/woof')
      : join(CHECKOUT, 'bin/woof');
  }

  async open(tokens: readonly string[]): Promise<void> {
    this.tokens = tokens;
    for (const token of tokens) writeFileSync(this.fileOf(token), 'untouched');
    const pipes = tokens.map((token) => this.fifoOf(token));
    execFileSync(PYTHON, ['-c', 'import os, sys; [os.mkfifo(p) for p in sys.argv[1:]]', ...pipes]);
    if (this.who.uid !== undefined) {
      for (const part of PARTS_OF_WOOF)
        cpSync(join(CHECKOUT, part), join(this.root, 'woof', part), { recursive: true });
    }
    this.handOver();
    const abstract = `woof-${randomBytes(6).toString('hex')}`;
    this.bystander = this.spawn([PYTHON, '-c', BYSTANDER, this.outside, this.work, abstract, this.secret]);
    const lines = createInterface({ input: this.bystander.stdout! });
    const told = new Promise<Facts>((resolve, reject) => {
      lines.once('line', (line) => resolve(JSON.parse(line) as Facts));
      this.bystander!.once('exit', () => reject(new Error('the bystander ended')));
    });
    const places = { root: this.root, work: this.work, outside: this.outside, home: this.home };
    const ro = join(this.outside, 'ro');
    this.facts = { ...(await told), ...places, data: join(this.work, 'state'), ro, abstract, tmp: tmpdir() };
    lines.on('line', (line) => {
      this.received += `${(JSON.parse(line) as { received: string }).received}\n`;
    });
  }

  seen(token: string): Pick<Seen, 'token' | 'secret' | 'received' | 'work' | 'outside' | 'file' | 'fifo'> {
    const { secret, received, work, outside } = this;
    return { token, secret, received, work, outside, file: this.fileOf(token), fifo: this.fifoOf(token) };
  }

  factsOf(token: string): Facts {
    return { ...this.facts, token, file: this.fileOf(token), fifo: this.fifoOf(token) };
  }

  fileOf(token: string): string {
    return join(this.outside, `file-${token}`);
  }

  fifoOf(token: string): string {
    return join(this.work, `fifo-${token}`);
  }

  spawn(
    [program, ...args]: string[],
    stdio: (string | number)[] = ['pipe', 'pipe', 'inherit'],
  ): ChildProcess {
    const options = { cwd: this.outside, env: this.env, stdio: stdio as 'pipe'[], detached: true };
    const { uid } = this.who;
    if (uid === undefined) return spawn(program!, args, options);
    const user = ['--reuid', String(uid), '--regid', String(uid), '--clear-groups', program!, ...args];
    return spawn(BECOME, user, options);
  }

  /** After everything that was sent before has been reported. */
  async settle(): Promise<void> {
    const { createConnection } = await import('node:net');
    const last = randomBytes(8).toString('hex');
    createConnection(Number(this.facts.tcp), '127.0.0.1')
      .on('error', () => {})
      .end(last);
    while (!this.received.includes(last)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  async close(): Promise<void> {
    writeFileSync(join(this.work, 'over'), '');
    const { bystander } = this;
    if (bystander && bystander.exitCode === null) {
      const gone = new Promise((resolve) => bystander.once('exit', resolve));
      bystander.stdin?.end();
      await gone;
    }
    const left = this.tokens.flatMap((token) => [`woof-left-${token}`, `l-${token}`, `p-${token}`]);
    for (const name of left)
      for (const folder of [tmpdir(), '/dev/shm']) rmSync(join(folder, name), { force: true });
    rmSync(this.root, { recursive: true, force: true });
  }

  private handOver(): void {
    const { uid, open } = this.who;
    if (uid !== undefined) execFileSync('chown', ['-hR', `${uid}:${uid}`, this.root]);
    chmodSync(this.root, open ? 0o755 : 0o700);
    for (const folder of [this.work, this.outside]) chmodSync(folder, open ? 0o777 : 0o700);
    if (open) execFileSync('chmod', ['-R', 'a+rw', this.work, this.outside]);
  }
}
