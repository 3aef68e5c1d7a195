/**
 * The job port of a worker whose server is remote.
 *
 * Owns: reports in transit, in order, several jobs per call; which jobs are held and under which fence; the server's
 * clock. A report is sent until the server has accepted or refused it; a refusal fails one job.
 * Invariant: no effect starts under a lease that may be lost (heartbeat.ts decides). Such a job is handed back, and the
 * log says whether it still belonged to this worker.
 */
import {
  type Assignment,
  type ChildAnswer,
  type ChildRequest,
  type Env,
  encodeJson,
  failure,
  type JobPort,
  type JobReport,
  type Json,
  jobKey,
  NO_LONGER_WANTED,
  type Reference,
} from '@woof/net';
import type { HeldJobName, JobName, NearWorkApi, ReportRequest, WorkApi } from '@woof/protocol';
import { type BlobStore, Values } from '@woof/stores';
import type { Heartbeat } from './heartbeat.ts';
import { ReportQueue } from './report-queue.ts';
import { isFatal, isFinal, retrying } from './retrying.ts';
import type { Stopwatch } from './stopwatch.ts';

const REMEMBERED_TIMES = 16;
const LONGEST_REASON = 2000;

export interface RemotePortOptions {
  api: WorkApi;
  blobs: BlobStore;
  worker: string;
  now: () => number;
  heartbeat: Pick<Heartbeat, 'isFresh' | 'hasKept' | 'refresh'>;
  signal: AbortSignal;
  /** Once aborted, nothing is sent again. */
  giveUp: AbortSignal;
  abort: (job: JobName, reason: string) => void;
  onFatal: (error: unknown) => void;
  /** Present if the worker is in the server's process. */
  took?: NearWorkApi['took'] | undefined;
  /** Resolves when the server has everything that tasks wrote so far. */
  logged?: (() => Promise<void>) | undefined;
  /** The largest stored value that a task may read. */
  valueBytes?: number | undefined;
}

type Item = ReportRequest['reports'][number];

/** When a lease arrived here, how old it was then, and whether that was early enough to name its job in time. */
export interface Arrival {
  since: Stopwatch;
  ageMs: number;
  isInTime: boolean;
}

type Held = HeldJobName & Arrival;

export class RemotePort implements JobPort {
  readonly host: Env['host'];
  private readonly values: Values;
  /** By key: the jobs that this worker holds. */
  private readonly held = new Map<string, Held>();
  private readonly queue = new ReportQueue<Item>(jobKey, (batch) => this.sendBatch(batch));
  /** By key: why the server refused a value that reports in transit refer to. */
  private readonly unstored = new Map<string, string>();
  /** The server's clock minus ours, according to the latest answers. */
  private readonly seenAhead: number[] = [];
  private ahead = 0;

  constructor(private readonly options: RemotePortOptions) {
    this.values = new Values(options.blobs, { valueBytes: options.valueBytes });
    this.host = this.values.host(() => options.now() + this.ahead);
  }

  noteTime(serverNow: number): void {
    this.seenAhead.push(serverNow - this.options.now());
    if (this.seenAhead.length > REMEMBERED_TIMES) this.seenAhead.shift();
    // An answer that took long to arrive shows too early a time, so the largest difference is the most accurate.
    this.ahead = Math.max(...this.seenAhead);
  }

  hold({ execution_id, job_id, fence }: Assignment, arrival: Arrival): void {
    this.held.set(jobKey({ execution_id, job_id }), { execution_id, job_id, fence, ...arrival });
  }

  drop(key: string): void {
    this.held.delete(key);
  }

  heldJobs(): HeldJobName[] {
    return [...this.held.values()].map(({ execution_id, job_id, fence }) => ({
      execution_id,
      job_id,
      fence,
    }));
  }

  /** Hands all jobs back, so that others can continue them at once. */
  async handBack(reason: string): Promise<void> {
    for (const job of this.heldJobs()) {
      this.options.abort(job, reason);
      this.release(job, reason);
    }
    await this.settled();
  }

  /** Hands back a job of which nothing is running. */
  release({ execution_id, job_id, fence }: HeldJobName, reason: string): void {
    const cut = reason.slice(0, LONGEST_REASON);
    this.queue.add({ execution_id, job_id, fence, reports: [{ type: 'released', reason: cut }] });
    this.drop(jobKey({ execution_id, job_id }));
  }

  // JobPort.

  lacks(): boolean {
    return this.values.hasMissing;
  }

  bring(): Promise<void> {
    return this.values.bring();
  }

  offload(value: Json, inlineMaxBytes?: number): Json {
    return this.values.offload(value, inlineMaxBytes);
  }

  offloadAll(values: readonly Json[]): Json[] {
    return this.values.offloadAll(values);
  }

  atHand(reference: Reference): Json | undefined {
    return this.values.atHand(reference);
  }

  started(assignment: Assignment, report: JobReport): void {
    this.report(assignment, [report]);
  }

  report(assignment: Assignment, reports: JobReport[]): boolean {
    if (!this.holds(assignment)) return false;
    const { execution_id, job_id, fence, pipeline } = assignment;
    this.queue.add({ execution_id, job_id, fence, reports });
    if (pipeline.status !== 'running' || reports.some(({ type }) => type === 'parked'))
      this.drop(jobKey(assignment));
    return true;
  }

  took({ execution_id: id }: Assignment, ms: number): Promise<void> | undefined {
    return this.options.took?.(id, ms);
  }

  async durable(assignment: Assignment): Promise<boolean> {
    await this.queue.sent(jobKey(assignment));
    const { heartbeat } = this.options;
    if (!heartbeat.isFresh) await heartbeat.refresh(() => this.holds(assignment));
    if (!heartbeat.isFresh || !this.holds(assignment)) return false;
    const { since, ageMs, isInTime } = this.held.get(jobKey(assignment))!;
    if (isInTime && heartbeat.hasKept(since.ms + ageMs)) return true;
    this.release(assignment, 'the worker could not reach the server, and its lease may have expired');
    return false;
  }

  async child(assignment: Assignment, request: ChildRequest): Promise<ChildAnswer> {
    await this.queue.sent(jobKey(assignment));
    const { execution_id, job_id, fence, granted } = assignment;
    const call = { worker: this.options.worker, execution_id, job_id, fence, granted, request };
    return retrying(() => this.options.api.child(call), this.options.signal);
  }

  async cancelChild(executionId: string, reason: string): Promise<void> {
    const call = { worker: this.options.worker, execution_id: executionId, reason };
    await retrying(() => this.options.api.cancelChild(call), this.options.signal);
  }

  /** Resolves when the server has everything that was reported so far. */
  settled(): Promise<void> {
    return this.queue.idle();
  }

  holds(job: HeldJobName): boolean {
    return this.held.get(jobKey(job))?.fence === job.fence;
  }

  /** A fault in one report fails its job; the rest of the batch is sent without it. */
  private async sendBatch(batch: Item[]): Promise<void> {
    try {
      if (this.values.hasPending) await this.save();
      const whole = batch.filter((item) => this.unstoredIn(item) === undefined);
      if (whole.length > 0) await this.tell(whole);
    } catch (error) {
      if (isFatal(error)) return this.refusedForGood(batch, error);
      if (!isFinal(error)) return;
      if (batch.length > 1) for (const item of batch) await this.sendBatch([item]);
      else await this.fail(batch[0]!, (error as Error).message);
      return;
    }
    for (const item of batch) {
      const why = this.unstoredIn(item);
      if (why !== undefined) await this.fail(item, why);
    }
  }

  private async tell(reports: Item[]): Promise<void> {
    const { api, worker, giveUp, logged } = this.options;
    // Whoever learns that a task has ended must find everything that it wrote.
    await logged?.();
    const { held } = await retrying(() => api.report({ worker, reports }), giveUp);
    reports.forEach((item, index) => {
      if (held[index] === false) this.lost(item);
    });
  }

  private save(): Promise<void> {
    const onRefused = ({ key }: Reference, error: unknown) => {
      if (!isFinal(error) || isFatal(error)) throw error;
      if (this.unstored.size === 0) void this.settled().then(() => this.unstored.clear());
      this.unstored.set(key, (error as Error).message);
    };
    return retrying(() => this.values.save(onRefused), this.options.giveUp);
  }

  private unstoredIn({ reports }: Item): string | undefined {
    if (this.unstored.size === 0) return undefined;
    const text = encodeJson(reports);
    return [...this.unstored].find(([key]) => text.includes(key))?.[1];
  }

  /** If even the failure is refused, the lease ends: the beats no longer name the job. */
  private async fail(item: Item, why: string): Promise<void> {
    this.lost(item);
    const failed = failedReports(item.reports, `the server refused the result of the task: ${why}`);
    if (failed === undefined) return;
    try {
      await this.tell([{ ...item, reports: failed }]);
    } catch (error) {
      if (isFatal(error)) this.options.onFatal(error);
    }
  }

  private refusedForGood(batch: Item[], error: unknown): void {
    for (const item of batch) this.lost(item);
    this.options.onFatal(error);
  }

  private lost(job: HeldJobName): void {
    const key = jobKey(job);
    if (this.held.get(key)?.fence !== job.fence) return;
    this.held.delete(key);
    this.options.abort(job, NO_LONGER_WANTED);
  }
}

/** The same reports up to the first task that ended, now as a failure; undefined if none ended. */
function failedReports(reports: readonly JobReport[], message: string): JobReport[] | undefined {
  const at = reports.findIndex(({ type }) => type === 'done');
  const done = reports[at];
  if (done?.type !== 'done') return undefined;
  const { label, task_run_id, attempt } = done;
  const outcome = failure('unknown', message.slice(0, LONGEST_REASON));
  return [
    ...reports.slice(0, at),
    { type: 'done', label, task_run_id, attempt, outcome, directive: { do: 'fail' } },
  ];
}
