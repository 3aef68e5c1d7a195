/**
 * A worker for a remote server: it claims jobs, sends reports and heartbeats.
 *
 * Owns: the claim loop, what a beat says, stopping. Does not own: how a job runs (worker.ts, job.ts), how reports reach
 * the server (remote-port.ts), when a beat is sent (heartbeat.ts).
 * Invariants: it only makes outgoing calls. If it acts under a lease that it has lost, the fence refuses the report and
 * the worker stops the job. It starts no effect before the server knows everything that led to it.
 */
import { type Assignment, jobKey, NO_LONGER_WANTED, type Plan } from '@woof/net';
import {
  type BeatAnswer,
  type ClaimAnswer,
  fromWire,
  type JobName,
  type NearAnswer,
  type NearWorkApi,
  type WorkApi,
  type WorkerInfo,
} from '@woof/protocol';
import type { BlobStore } from '@woof/stores';
import type { Worker } from '../worker.ts';
import type { ExecutionFolders } from './execution-folders.ts';
import { Heartbeat } from './heartbeat.ts';
import { Paces } from './paces.ts';
import { type Arrival, RemotePort } from './remote-port.ts';
import { aborted, isFatal, isFinal, pause, retrying } from './retrying.ts';
import { type Clocks, Stopwatch } from './stopwatch.ts';

/** How long a claim may wait on the server. */
const WAIT_MS = 20_000;
const REMEMBERED_PLANS = 200;
/** The pause after a claim that the server refused. */
const REFUSED_AGAIN_MS = 1000;
const NO_ROOM_AGAIN_MS = 1000;
/** How long a stopping worker tries to reach an unreachable server. */
const LAST_WORDS_MS = 3000;
const IDLE_BEATS = 2;

export interface RemoteWorkerOptions {
  api: WorkApi;
  worker: Worker;
  info: WorkerInfo;
  blobs: BlobStore;
  /** The largest stored value that a task may read. */
  valueBytes?: number | undefined;
  folders: Pick<ExecutionFolders, 'place' | 'release' | 'ended' | 'close'> &
    Partial<Pick<ExecutionFolders, 'whenIdle'>>;
  /** Present if the worker is in the server's process. */
  took?: NearWorkApi['took'] | undefined;
  /** Resolves when the server has everything that tasks wrote so far. */
  logged?: (() => Promise<void>) | undefined;
  now?: () => number;
  /** A monotonic clock, in ms. */
  uptime?: () => number;
  /** Messages for the person who runs the worker, one line each. */
  say?: (line: string) => void;
  /** Called when it was asked to drain and has nothing left to do. */
  onDrained?: () => void;
  /** Called when the server refuses this worker for good. */
  onFatal: (error: unknown) => void;
}

export class RemoteWorker {
  private readonly port: RemotePort;
  private readonly heartbeat: Heartbeat;
  private readonly clocks: Clocks;
  private readonly plans = new Map<string, Plan>();
  private readonly paces: Paces;
  private readonly stopping = new AbortController();
  /** While the worker stops, its jobs and their leases continue: it beats until it leaves. */
  private readonly leaving = new AbortController();
  private readonly giveUp = new AbortController();
  private claiming = new AbortController();
  private askedFree = 0;
  /** Jobs that have arrived and have no slot yet. */
  private arriving = 0;
  /** True if it had no room for a job a moment ago. */
  private isShort = false;
  private serverLost = false;
  private isDraining = false;
  /** While it drains: how many beats in a row it held nothing. */
  private idleBeats = 0;
  private loops: Promise<void>[] = [];

  constructor(private readonly options: RemoteWorkerOptions) {
    const { api, blobs, worker, info, now = Date.now, uptime = () => performance.now() } = options;
    this.clocks = { now, uptime };
    this.paces = new Paces(uptime);
    this.heartbeat = new Heartbeat({
      now,
      uptime,
      send: () => this.beat(),
      onFailed: (error) => this.beatFailed(error),
    });
    this.port = new RemotePort({
      api,
      blobs,
      now,
      worker: info.worker,
      valueBytes: options.valueBytes,
      heartbeat: this.heartbeat,
      took: options.took,
      logged: options.logged,
      signal: this.stopping.signal,
      giveUp: this.giveUp.signal,
      abort: (job, reason) => worker.abort(job.execution_id, job.job_id, reason),
      onFatal: options.onFatal,
    });
    options.folders.whenIdle?.((id) => worker.ended(id));
  }

  get id(): string {
    return this.options.info.worker;
  }

  start(): void {
    this.loops = [this.claimLoop(), this.heartbeat.run(this.leaving.signal)];
  }

  /** A job is over. */
  jobEnded(executionId: string): void {
    this.options.folders.release(executionId);
    this.roomMade();
  }

  /** Repeats a claim that asked for no jobs. */
  roomMade(): void {
    if (this.askedFree === 0 && this.free > 0) this.claiming.abort();
  }

  /** Takes nothing new, lets running jobs end within the time, and hands the rest back. */
  async stop(graceMs: number): Promise<void> {
    const { worker, now = Date.now } = this.options;
    this.stopping.abort();
    this.claiming.abort();
    const until = now() + graceMs;
    while (worker.busy > 0 && now() < until) await pause(20);
    const deadline = setTimeout(() => this.giveUp.abort(), LAST_WORDS_MS);
    const givenUp = aborted(this.giveUp.signal);
    await Promise.race([this.port.handBack('the worker stops'), givenUp]);
    await worker.close();
    await Promise.race([this.port.settled(), givenUp]);
    await Promise.race([this.leave(), givenUp]);
    clearTimeout(deadline);
    this.giveUp.abort();
    this.options.folders.close();
  }

  /** Leaves after the last beat: a later beat would make it a member again. */
  private async leave(): Promise<void> {
    const { api, info } = this.options;
    this.leaving.abort();
    await Promise.all(this.loops);
    await api.leave({ worker: info.worker }).catch(() => {});
  }

  /**
   * Between two jobs of a run that stays here, it holds nothing for a moment. So it has drained only when it held
   * nothing for several beats in a row.
   */
  private drain(): void {
    const { worker, say, onDrained } = this.options;
    if (!this.isDraining) say?.('is draining: it finishes its jobs and takes no new ones');
    this.isDraining = true;
    const isIdle = worker.busy === 0 && this.port.heldJobs().length === 0;
    this.idleBeats = isIdle ? this.idleBeats + 1 : 0;
    if (this.idleBeats === IDLE_BEATS) onDrained?.();
  }

  /** The claim under way says that it drains. */
  private resume(): void {
    this.isDraining = false;
    this.idleBeats = 0;
    this.options.say?.('takes jobs again');
    this.claiming.abort();
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted;
  }

  private async claimLoop(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.claimOnce();
      } catch (error) {
        if (isFatal(error)) return this.options.onFatal(error);
        const againMs = isFinal(error) ? REFUSED_AGAIN_MS : 100 + Math.random() * 400;
        if (!this.claiming.signal.aborted) await pause(againMs, this.stopping.signal);
      }
    }
  }

  private get free(): number {
    return this.isShort ? 0 : Math.max(0, this.options.worker.freeSlots() - this.arriving);
  }

  /** The next claim is already under way while the jobs of this one begin. */
  private async claimOnce(): Promise<void> {
    const { api, info } = this.options;
    this.claiming = new AbortController();
    this.askedFree = this.free;
    const draining = this.isDraining ? { draining: true as const } : {};
    const request = { ...info, free: this.askedFree, wait_ms: WAIT_MS, ...draining };
    const asked = new Stopwatch(this.clocks);
    const answer = await api.claim(request, this.claiming.signal);
    this.receive(answer, asked)
      // Jobs whose plan could not be fetched: the beats do not name them, and the server hands them out again.
      .catch((error: unknown) => isFatal(error) && this.options.onFatal(error))
      .finally(() => this.roomMade());
  }

  private async receive(answer: ClaimAnswer | NearAnswer, asked: Stopwatch): Promise<void> {
    const { worker, folders } = this.options;
    this.port.noteTime(answer.now);
    for (const job of answer.stop) this.stopJob(job);
    for (const id of answer.ended) void worker.ended(id).then(() => folders.ended(id));
    if ('assignments' in answer) return this.takeAll(answer.assignments, answer, asked);
    const { length } = answer.jobs;
    this.arriving += length;
    try {
      const assignments = await fromWire(answer, (hash) => this.plan(hash));
      this.takeAll(assignments, answer, asked);
    } finally {
      this.arriving -= length;
    }
  }

  private takeAll(
    assignments: readonly Assignment[],
    { now, waited_ms }: Pick<NearAnswer, 'now' | 'waited_ms'>,
    asked: Stopwatch,
  ): void {
    // The worker has left, or is about to: the server gives the jobs to others.
    if (this.stopped) return;
    const since = new Stopwatch(this.clocks);
    // Their plans may have taken long to arrive, too.
    const onTheWayMs = asked.ms - waited_ms;
    const byPlan = new Map<Plan, Assignment[]>();
    for (const assignment of assignments) {
      const ageMs = now - assignment.leased_at + onTheWayMs;
      const isInTime = this.heartbeat.namesInTime(ageMs);
      const placed = this.take(assignment, { since, ageMs, isInTime });
      if (placed === undefined) this.restFor(NO_ROOM_AGAIN_MS);
      else listAt(byPlan, placed.plan).push(placed);
    }
    for (const [plan, placed] of byPlan) this.paces.of(plan).each(placed, (one) => this.begin(one));
  }

  private begin(placed: Assignment): void {
    const { worker } = this.options;
    if (this.port.holds(placed)) worker.execute(placed, worker.id, this.port);
    else {
      // It was stopped or handed back before its turn came.
      worker.unplace();
      this.jobEnded(placed.execution_id);
    }
  }

  /** Without a pause, it would immediately receive again what it handed back. */
  private restFor(ms: number): void {
    if (this.isShort) return;
    this.isShort = true;
    void pause(ms, this.stopping.signal).then(() => {
      this.isShort = false;
      this.roomMade();
    });
  }

  /** Undefined: this machine has no room for the job. */
  private take(assignment: Assignment, arrival: Arrival): Assignment | undefined {
    const { worker, folders, say } = this.options;
    this.port.hold(assignment, arrival);
    worker.place();
    try {
      return folders.place(assignment, worker.runsCode(assignment));
    } catch (error) {
      worker.unplace();
      const reason = `this worker cannot create a directory for it: ${(error as Error).message}`;
      say?.(`job ${assignment.job_id} of ${assignment.execution_id} returned to the server: ${reason}`);
      this.port.release(assignment, reason);
      return undefined;
    }
  }

  /** A beat names the lease that is over; by now the job may be held under a later one. */
  private stopJob(job: JobName & { fence?: number }): void {
    if (job.fence !== undefined && !this.port.holds({ ...job, fence: job.fence })) return;
    this.port.drop(jobKey(job));
    this.options.worker.abort(job.execution_id, job.job_id, NO_LONGER_WANTED);
  }

  private async plan(hash: string): Promise<Plan> {
    const known = this.plans.get(hash);
    if (known) return known;
    const plan = await retrying(() => this.options.api.plan(hash), this.stopping.signal);
    if (this.plans.size >= REMEMBERED_PLANS) this.plans.delete(this.plans.keys().next().value!);
    this.plans.set(hash, plan);
    return plan;
  }

  /** One line when the server is lost, and one when it is back. */
  private noteServer(error: Error | undefined): void {
    const lost = error !== undefined;
    if (lost === this.serverLost) return;
    this.serverLost = lost;
    this.options.say?.(
      lost
        ? `the server is unreachable: ${error.message}; the worker keeps retrying`
        : 'the server is reachable again',
    );
  }

  private async beat(): Promise<BeatAnswer> {
    const { api, info } = this.options;
    const answer = await api.beat({ ...info, jobs: this.port.heldJobs() });
    this.noteServer(undefined);
    this.port.noteTime(answer.now);
    for (const job of answer.stop) this.stopJob(job);
    if (answer.drain) this.drain();
    else if (this.isDraining) this.resume();
    return answer;
  }

  private beatFailed(error: unknown): boolean {
    if (isFatal(error)) this.options.onFatal(error);
    else this.noteServer(error as Error);
    return !isFatal(error);
  }
}

function listAt<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
