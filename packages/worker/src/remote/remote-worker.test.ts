/** A worker, and a server that refuses, falls silent or is late. */
import type { Json, Plan, Reference } from '@woof/net';
import {
  type BeatRequest,
  type ClaimAnswer,
  PROTOCOL_VERSION,
  Problem,
  type ReportRequest,
  type WorkApi,
} from '@woof/protocol';
import { BlobError, type BlobStore } from '@woof/stores';
import { plan, step, task } from '@woof/testkit';
import type { Tool } from '@woof/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Worker } from '../worker.ts';
import { RemoteLogSink } from './remote-log-sink.ts';
import { RemoteWorker, type RemoteWorkerOptions } from './remote-worker.ts';

type Item = ReportRequest['reports'][number];
type Run = Tool['run'];

/** Hands out the jobs that a test has for the worker, and accepts what the test lets it accept. */
class Desk {
  readonly taken: Item[] = [];
  readonly beats: BeatRequest[] = [];
  readonly claims: Promise<unknown>[] = [];
  left = false;
  refuse: (item: Item) => void = () => {};
  beat: (request: BeatRequest) => { job_id: string; fence: number }[] = () => [];
  private waiting: ClaimAnswer[] = [];
  private wake: () => void = () => {};

  readonly document: Plan = plan([step('start', { tasks: [task('a')] })]);

  give(jobId: string, fence = 1): void {
    const pipeline = { pc: 0, attempt: 0, taskRuns: 0, status: 'running', notBefore: 0, memo: null };
    const more = { iter: {}, vars: {}, prev: null, results: {}, lost: 0 };
    const job = { execution_id: 'x', job_id: jobId, fence, step_run_id: jobId, step: 'start', args: {} };
    const leased_at = Date.now();
    const shared = {
      plan: 'p',
      source: {},
      granted: {},
      workload: {},
      ctx: {},
      results: {},
      labels: {},
      tasks: {},
    };
    this.waiting.push({
      now: leased_at,
      waited_ms: 60_000,
      jobs: [{ ...job, leased_at, pipeline: { ...pipeline, ...more } as never }],
      executions: { x: shared },
      stop: [],
      ended: [],
    });
    this.wake();
  }

  readonly api: Partial<WorkApi> = {
    claim: async (_request, signal) => {
      if (this.waiting.length === 0)
        await new Promise<void>((resolve, reject) => {
          this.wake = resolve;
          signal?.addEventListener('abort', () => reject(new Error('aborted')));
        });
      return this.waiting.shift()!;
    },
    report: async ({ reports }) => {
      for (const item of reports) this.refuse(item);
      this.taken.push(...reports);
      return { held: reports.map(() => true) };
    },
    beat: async (request) => {
      this.beats.push(request);
      const stop = this.beat(request).map((job) => ({ execution_id: 'x', ...job }));
      return { now: Date.now(), stop, ttl_ms: 60_000, again_ms: 20 };
    },
    leave: async () => {
      this.left = true;
    },
    plan: async () => this.document,
  };

  done(jobId: string) {
    const reports = this.taken.filter(({ job_id }) => job_id === jobId).flatMap((item) => item.reports);
    return reports.find((report) => report.type === 'done');
  }
}

const noBlobs: BlobStore = {
  put: () => Promise.reject(new Error('unused')),
  putBytes: async () => {},
  // biome-ignore lint/correctness/useYield: nothing is stored here
  async *get(reference: Reference) {
    throw new BlobError('missing', reference.key);
  },
  getText: (reference) => {
    throw new BlobError('missing', reference.key);
  },
  bring: async () => {},
};

const givesResult =
  (result: Json): Run =>
  async () => ({ status: 'ok', result });

function workerFor(desk: Desk, run: Run, more: Partial<RemoteWorkerOptions> = {}) {
  const fatal: unknown[] = [];
  const tool: Tool = { schema: { kind: 'noop', summary: '', fields: {} }, run };
  const worker: Worker = new Worker({
    id: 'w',
    slots: 4,
    tools: new Map([['noop', tool]]),
    blobs: noBlobs,
    logs: { write: () => {}, close: async () => {} },
    sandbox: false,
    hidden: [],
    onFree: (id) => remote.jobEnded(id),
  });
  const info = {
    worker: 'w',
    protocol: PROTOCOL_VERSION,
    version: 'test',
    slots: 4,
    labels: {},
    kinds: ['noop'],
  };
  const folders = { place: <A>(assignment: A) => assignment, release() {}, ended() {}, close() {} };
  const remote: RemoteWorker = new RemoteWorker({
    api: desk.api as WorkApi,
    worker,
    info,
    blobs: noBlobs,
    folders,
    onFatal: (error) => fatal.push(error),
    ...more,
  });
  remote.start();
  onTestFinished(() => remote.stop(0));
  return { remote, worker, fatal };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a server that refuses', () => {
  it('one report fails its job, and the worker continues', async () => {
    const desk = new Desk();
    desk.refuse = ({ reports }) => {
      if (JSON.stringify(reports).includes('huge'))
        throw new Problem('request/too-large', 'more than the limit');
    };
    const { fatal } = workerFor(desk, async ({ idempotencyKey }) => ({
      status: 'ok',
      result: idempotencyKey.includes('bad') ? 'huge' : 1,
    }));
    for (const id of ['good.1', 'bad.1', 'good.2']) desk.give(id);
    await until(() => ['good.1', 'bad.1', 'good.2'].every((id) => desk.done(id) !== undefined));
    expect(desk.done('good.1')).toMatchObject({ outcome: { status: 'ok' } });
    expect(desk.done('good.2')).toMatchObject({ outcome: { status: 'ok' } });
    expect(desk.done('bad.1')).toMatchObject({
      outcome: { status: 'error', error: { kind: 'unknown', message: expect.stringContaining('the limit') } },
      directive: { do: 'fail' },
    });
    expect(fatal).toEqual([]);
  });

  it('every report of a job makes the worker drop it and continue', async () => {
    const desk = new Desk();
    desk.refuse = ({ job_id }) => {
      if (job_id === 'bad.1') throw new Problem('request/invalid', 'reports.0.job_id: Too big');
    };
    const { fatal } = workerFor(desk, givesResult(1));
    desk.give('bad.1');
    desk.give('good.1');
    await until(() => desk.done('good.1') !== undefined);
    const seen = desk.beats.length;
    await until(() => desk.beats.length > seen + 1);
    expect(desk.beats.at(-1)!.jobs).toEqual([]);
    expect(fatal).toEqual([]);
  });

  it('a large value fails the job that produced it, and others are stored', async () => {
    const desk = new Desk();
    const stored: string[] = [];
    const putBytes = async (bytes: Buffer) => {
      if (bytes.includes('bad')) throw new Problem('request/too-large', 'the value is too large');
      stored.push(bytes.toString());
    };
    const large = (word: string) => word.repeat(100_000);
    const { fatal } = workerFor(
      desk,
      async ({ idempotencyKey }) => ({
        status: 'ok',
        result: large(idempotencyKey.includes('bad') ? 'bad' : 'good'),
      }),
      { blobs: { ...noBlobs, putBytes } },
    );
    desk.give('bad.1');
    desk.give('good.1');
    await until(() => desk.done('bad.1') !== undefined && desk.done('good.1') !== undefined);
    expect(desk.done('bad.1')).toMatchObject({ outcome: { error: { message: /too large/ } } });
    expect(desk.done('good.1')).toMatchObject({ outcome: { status: 'ok' } });
    expect(stored).toHaveLength(1);
    expect(fatal).toEqual([]);
  });

  it('the worker itself ends it', async () => {
    const desk = new Desk();
    desk.refuse = () => {
      throw new Problem('auth/wrong', 'the token is revoked');
    };
    const { fatal } = workerFor(desk, givesResult(1));
    desk.give('good.1');
    await until(() => fatal.length > 0);
    expect(fatal[0]).toMatchObject({ code: 'auth/wrong' });
  });
});

describe('a worker', () => {
  it('hands back what it has no room for, keeps its slots, and says so', async () => {
    const desk = new Desk();
    const lines: string[] = [];
    let full = true;
    const place = <A>(assignment: A) => {
      if (full) throw new Error('ENOSPC: no space left on device');
      return assignment;
    };
    const folders = { place, release() {}, ended() {}, close() {} };
    const say = (line: string) => lines.push(line);
    const { worker, fatal } = workerFor(desk, givesResult(1), { folders, say });
    desk.give('a.1');
    await until(() => desk.taken.length > 0);
    const reason = expect.stringContaining('ENOSPC');
    expect(desk.taken[0]).toMatchObject({ job_id: 'a.1', fence: 1, reports: [{ type: 'released', reason }] });
    expect(lines).toEqual([reason]);
    expect(worker.freeSlots()).toBe(4);
    full = false;
    desk.give('a.1', 2);
    await until(() => desk.done('a.1') !== undefined);
    expect(fatal).toEqual([]);
  });

  it('continues a job whose earlier lease is over', async () => {
    const desk = new Desk();
    let finish: () => void = () => {};
    const signals: AbortSignal[] = [];
    workerFor(desk, async (_call, { signal }) => {
      signals.push(signal);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return { status: 'ok', result: 1 };
    });
    desk.give('a.1', 2);
    await until(() => signals.length === 1);
    desk.beat = () => [{ job_id: 'a.1', fence: 1 }];
    const seen = desk.beats.length;
    await until(() => desk.beats.length > seen + 2);
    expect(signals[0]!.aborted).toBe(false);
    desk.beat = () => [{ job_id: 'a.1', fence: 2 }];
    await until(() => signals[0]!.aborted);
    finish();
  });

  it('says once that the server is lost, and once that it is back', async () => {
    const desk = new Desk();
    const lines: string[] = [];
    let tries = 0;
    let away = false;
    desk.beat = () => {
      tries += 1;
      if (away) throw new Error('the server does not answer');
      return [];
    };
    workerFor(desk, givesResult(1), { say: (line) => lines.push(line) });
    const twoMore = async () => {
      const seen = tries;
      await until(() => tries > seen + 2);
    };
    await twoMore();
    expect(lines).toEqual([]);
    away = true;
    await twoMore();
    expect(lines).toEqual([expect.stringContaining('the server is unreachable: the server does not answer')]);
    away = false;
    await twoMore();
    expect(lines).toHaveLength(2);
    expect(lines[1]).toBe('the server is reachable again');
  });
});

describe('a worker that stops', () => {
  it('beats for the jobs that still run, and leaves after its last beat', async () => {
    const desk = new Desk();
    let finish: () => void = () => {};
    const { remote } = workerFor(desk, async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return { status: 'ok', result: 1 };
    });
    desk.give('long.1');
    await until(() => desk.beats.some(({ jobs }) => jobs.length > 0));
    const stopped = remote.stop(60_000);
    const seen = desk.beats.length;
    await until(() => desk.beats.length > seen + 2);
    expect(desk.beats.at(-1)!.jobs).toMatchObject([{ job_id: 'long.1' }]);
    expect(desk.left).toBe(false);
    finish();
    await stopped;
    expect(desk.done('long.1')).toMatchObject({ outcome: { status: 'ok' } });
    expect(desk.left).toBe(true);
  });

  it.each([
    ['refuses to talk', () => Promise.reject(new Error('does not answer'))],
    ['never answers', () => new Promise<never>(() => {})],
  ])('ends while its server %s', async (_how, answer) => {
    const desk = new Desk();
    const lines = new RemoteLogSink(desk.api as WorkApi);
    const { remote } = workerFor(desk, givesResult(1));
    await until(() => desk.beats.length > 0);
    Object.assign(desk.api, { report: answer, beat: answer, leave: answer, log: answer });
    desk.give('late.1');
    lines.write({ step: {} } as never, 'late.1', 'stdout', 'words');
    await Promise.all([remote.stop(0), lines.close()]);
    expect(desk.taken).toEqual([]);
  });
});
