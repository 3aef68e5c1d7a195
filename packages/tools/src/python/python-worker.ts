/**
 * One sandbox with a warm interpreter, as the host sees it.
 *
 * Owns: the process and the frames on its channel. They come from inside the sandbox and are trusted only for the
 * running task. Does not own: who uses it next (the pool), the meaning of an outcome.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { PYTHON_AUDIT, PYTHON_THREADS } from '@woof/kernels/python-source';
import { type SandboxedProcess, type SandboxSpec, spawnSandboxed } from '@woof/sandbox';
import ANSWER_DRIVER from './python-answer-driver.py?raw';
import TASK_DRIVER from './python-task-driver.py?raw';
import ZYGOTE from './python-zygote.py?raw';

export interface TaskEnd {
  /** The driver's answer; empty if the task ended without one. */
  answer: Buffer;
  /** A wait status as from waitpid; undefined if the whole sandbox ended. */
  status?: number;
  outOfMemory: boolean;
}

interface Running {
  onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void;
  maxAnswerBytes: number;
  answer: Buffer[];
  answerBytes: number;
  resolve(end: TaskEnd): void;
}

const DRIVER = PYTHON_THREADS + PYTHON_AUDIT + ANSWER_DRIVER + TASK_DRIVER + ZYGOTE;
const BOOT = 'import sys; exec(compile(sys.argv.pop(), "<woof>", "exec"))';

export type WorkerSetting = Pick<
  SandboxSpec,
  'policy' | 'workdir' | 'hidden' | 'memoryMb' | 'maxProcesses' | 'tmpBytes' | 'isolate' | 'readOnly'
> & { executable: string };

export class PythonWorker {
  readonly #process: SandboxedProcess;
  readonly #channel: Duplex;
  #pending: Buffer = Buffer.alloc(0);
  #running: Running | undefined;
  readonly #learned = new Set<string>();
  #cleaned = Promise.resolve(false);
  #markClean: ((clean: boolean) => void) | undefined;
  #stderr = '';
  alive = true;
  /** The temporary folder of its tasks. Without a sandbox it is private, so that they share nothing else there. */
  readonly tmp: string;
  readonly ended: Promise<void>;

  constructor(setting: WorkerSetting) {
    const { executable, ...spec } = setting;
    this.tmp = spec.isolate === false ? mkdtempSync(join(tmpdir(), 'woof-python-')) : '/tmp';
    this.#process = spawnSandboxed({
      ...spec,
      argv: [executable, '-I', '-c', BOOT, ...driverArguments(spec, this.tmp), DRIVER],
      env: { LANG: 'C.UTF-8', HOME: '/tmp' },
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    const { child } = this.#process;
    this.#channel = child.stdio[3] as Duplex;
    this.#channel.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#channel.on('error', () => undefined);
    child.stderr?.on('data', (chunk) => {
      this.#stderr = (this.#stderr + String(chunk)).slice(-4000);
    });
    this.ended = this.#process.exited.then(
      (exit) => this.#end(exit.outOfMemory),
      (error) => {
        this.#stderr += String(error);
        this.#end(false);
      },
    );
  }

  /** The interpreter's own messages, e.g. that it could not start. */
  get complaint(): string {
    return this.#stderr.trim();
  }

  run(payload: string, task: Pick<Running, 'onOutput' | 'maxAnswerBytes'>): Promise<TaskEnd> {
    return new Promise((resolve) => {
      if (!this.alive) return resolve({ answer: Buffer.alloc(0), outOfMemory: false });
      this.#cleaned = new Promise((mark) => {
        this.#markClean = mark;
      });
      this.#running = { ...task, answer: [], answerBytes: 0, resolve };
      this.#send('T', payload);
    });
  }

  /** Preloads modules for later tasks. */
  learn(modules: string[]): void {
    const fresh = modules.filter((module) => !this.#learned.has(module));
    for (const module of fresh) this.#learned.add(module);
    if (fresh.length > 0 && this.alive) this.#send('L', fresh.join(','));
  }

  /** After a task: true if nothing of it is left and the next may run. */
  get cleaned(): Promise<boolean> {
    return this.#cleaned;
  }

  /** An idle worker must not keep the program alive. */
  setIdle(idle: boolean): void {
    const { child } = this.#process;
    for (const handle of [child, this.#channel, child.stderr] as unknown as Holds[]) {
      if (idle) handle.unref();
      else handle.ref();
    }
  }

  kill(): void {
    this.#process.kill();
  }

  #send(letter: string, text: string): void {
    const body = Buffer.from(text);
    const header = Buffer.alloc(5);
    header.write(letter, 0, 'latin1');
    header.writeUInt32BE(body.length, 1);
    this.#channel.write(Buffer.concat([header, body]));
  }

  #read(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    while (this.#pending.length >= 5) {
      const end = 5 + this.#pending.readUInt32BE(1);
      if (this.#pending.length < end) return;
      this.#frame(String.fromCharCode(this.#pending[0] ?? 0), this.#pending.subarray(5, end));
      this.#pending = this.#pending.subarray(end);
    }
  }

  #frame(letter: string, body: Buffer): void {
    if (letter === 'C') this.#clean(true);
    const running = this.#running;
    if (!running) return;
    if (letter === 'O') running.onOutput('stdout', body);
    else if (letter === 'E') running.onOutput('stderr', body);
    else if (letter === 'V') this.#collect(running, body);
    else if (letter === 'X') this.#settle({ status: body.readInt32BE(0) });
  }

  /** Copied, because the chunk belongs to a larger buffer. The task itself could flood this descriptor. */
  #collect(running: Running, body: Buffer): void {
    running.answerBytes += body.length;
    if (running.answerBytes > running.maxAnswerBytes) this.kill();
    else running.answer.push(Buffer.from(body));
  }

  #settle(end: { status?: number; outOfMemory?: boolean }): void {
    const running = this.#running;
    this.#running = undefined;
    const outOfMemory = end.outOfMemory ?? this.#process.outOfMemory();
    running?.resolve({ ...end, answer: Buffer.concat(running.answer), outOfMemory });
  }

  #end(outOfMemory: boolean): void {
    this.alive = false;
    this.#clean(false);
    this.#settle({ outOfMemory });
    this.#channel.destroy();
    if (this.tmp !== '/tmp') rmSync(this.tmp, { recursive: true, force: true });
  }

  #clean(clean: boolean): void {
    this.#markClean?.(clean);
    this.#markClean = undefined;
  }
}

function driverArguments(
  { isolate, policy, workdir }: Omit<WorkerSetting, 'executable'>,
  tmp: string,
): string[] {
  return [isolate === false ? 'bare' : 'isolated', policy.allow_files ? 'files' : 'no-files', workdir, tmp];
}

interface Holds {
  ref(): void;
  unref(): void;
}
