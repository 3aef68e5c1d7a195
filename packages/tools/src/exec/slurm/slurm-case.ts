/** Runs blocks on a Slurm of their own, each test in a folder of its own. Test-only. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SlurmCluster, type SlurmOptions, startSlurm } from '@woof/testkit';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { Attempt } from '../attempt.ts';
import { toBlock } from '../exec-block.ts';
import type { ExecRunner, RunnerEnd, RunnerHost } from '../exec-runner.ts';
import { Redactor } from '../redactor.ts';
import { scancel, squeue } from './slurm-commands.ts';
import { SlurmQueue } from './slurm-queue.ts';
import { createSlurmRunner } from './slurm-runner.ts';
import { Submitter } from './submitter.ts';

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
export const sh = (script: string, more: object = {}) => ({ program: 'sh', args: ['-c', script], ...more });

export interface Started {
  attempt: Attempt;
  end: Promise<RunnerEnd>;
  abort(reason: string): void;
  said: string;
}

export interface Given {
  executor?: object;
  key?: string;
  fence?: number;
  adopt?: boolean;
  env?: Record<string, string>;
  halt_on_error?: boolean;
  matrix?: object;
}

export class SlurmCase {
  cluster!: SlurmCluster;
  /** Of one test; commands run in `work` of it. */
  folder!: string;
  queue!: SlurmQueue;
  private runner!: ExecRunner;
  private readonly folders: string[] = [];
  private opened: Attempt[] = [];
  /** Slurm remembers the jobs of the tests before. */
  private before = new Set<string>();

  constructor(options: SlurmOptions = {}) {
    beforeAll(async () => {
      this.cluster = await startSlurm(options);
      Object.assign(process.env, this.cluster.env);
    });
    afterAll(async () => {
      await this.cluster.dispose();
      for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
    });
    beforeEach(() => this.open());
    afterEach(() => this.close());
  }

  /** A folder of its own; what was started before goes on, and is not this one's to end. */
  async open(): Promise<void> {
    this.opened = [];
    this.before = new Set((await squeue()).map(({ id }) => id));
    this.folder = mkdtempSync(join(tmpdir(), 'woof-slurm-run-'));
    this.folders.push(this.folder);
    mkdirSync(join(this.folder, 'work', 'sub'), { recursive: true });
    this.restart();
  }

  private async close(): Promise<void> {
    for (const attempt of this.opened) await attempt.leave();
    await scancel((await this.queued()).map(({ id }) => id));
  }

  /** As a new process has it. */
  restart(): void {
    this.queue = new SlurmQueue();
    this.runner = createSlurmRunner({ queue: this.queue, submitter: new Submitter() });
  }

  async start(commands: object[], given: Given = {}): Promise<Started> {
    const { folder } = this;
    const { executor, key = `${folder}/1`, fence = 1, adopt = false, env = {}, ...rest } = given;
    const input = {
      workdir: '.',
      executor: { kind: 'slurm', poll_ms: 100, ...executor },
      commands,
      env,
      ...rest,
    };
    const block = toBlock(JSON.parse(JSON.stringify(input)));
    const place = { runs: join(folder, 'runs'), executionId: 'run', stage: key.slice(-30) };
    const intent = { attempt: 1, fence, block_sha256: 'x', started_at_ms: 1, workdir: join(folder, 'work') };
    const attempt = await Attempt.open(place, { intent, adopt, resume: false });
    const stop = new AbortController();
    const abort = (reason: string) => stop.abort(reason);
    const started: Started = { attempt, end: undefined as never, abort, said: '' };
    const host: RunnerHost = {
      executionId: 'run',
      stage: key,
      idempotencyKey: key,
      fence,
      signal: stop.signal,
      now: Date.now,
      log: (_, text) => {
        started.said += text;
      },
      workdir: join(folder, 'work'),
      envOf: (command) => ({ PATH: process.env.PATH!, ...block.env, ...command.env }),
      redactor: new Redactor([block.env]),
      hidden: [],
    };
    this.opened.push(attempt);
    started.end = this.runner.run(block, attempt, host);
    return started;
  }

  /** Waits until the file is there. */
  async appears(name: string): Promise<void> {
    while (!existsSync(join(this.folder, 'work', name))) await sleep(20);
  }

  /** Jobs of this test. */
  async queued() {
    return (await squeue()).filter(({ id }) => !this.before.has(id));
  }

  async alive() {
    return (await this.queued()).filter(({ state }) => /PENDING|RUNNING|COMPLETING|CONFIG/.test(state));
  }

  async aliveId(): Promise<string> {
    for (;;) {
      const [job] = await this.alive();
      if (job) return job.id;
      await sleep(50);
    }
  }
}

export const read = ({ attempt }: Started, name: string) => readFileSync(join(attempt.folder, name), 'utf8');
export const statuses = ({ attempt }: Started) => attempt.results.map(({ status }) => status);
