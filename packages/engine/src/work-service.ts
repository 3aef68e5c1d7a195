/**
 * What a server answers to workers. In the server it is behind HTTP; a worker in the same process calls it directly.
 * Both use one service.
 */
import { type ChildAnswer, type Plan, storedName, usedKeychain } from '@woof/net';
import {
  type BeatAnswer,
  type BeatRequest,
  type CancelChildRequest,
  type ChildCall,
  type ClaimAnswer,
  type ClaimRequest,
  checkProtocol,
  type EnterRequest,
  type NearAnswer,
  type NearWorkApi,
  Problem,
  type ReportAnswer,
  type ReportRequest,
  type SecretsRequest,
  toWire,
  type WireLogLine,
  type WorkApi,
  type WorkerInfo,
} from '@woof/protocol';
import type { SharedStore } from '@woof/stores';
import type { Desk } from './desk.ts';
import type { Engine } from './engine.ts';
import { Exits } from './exits.ts';
import type { FarSignals } from './far-signals.ts';
import { jobText } from './job-text.ts';
import { BEATS_IN_TTL } from './leases.ts';
import { hashPlan } from './replay.ts';
import type { Secrets } from './secrets.ts';
import { type Waiter, Waiters } from './waiters.ts';

const MOST_REMEMBERED = 10_000;
const LONGEST_WAIT_MS = 60_000;
/** It has already waited here. */
const AT_ONCE_MS = 1;
/** A call that waits for a place is answered after this time, even if a rate admits nobody for longer. */
const LONGEST_STAY_MS = 1000;

export interface WorkServiceOptions {
  engine: Engine;
  desk: Desk;
  store: SharedStore;
  /** A worker that is silent for this long is considered gone. */
  ttlMs: number;
  now: () => number;
  /** False: this server was silent for so long that others may have taken its executions. Absent: it is alone. */
  isCurrent?: () => boolean;
  onLog: (lines: WireLogLine[]) => Promise<void>;
  /** Other servers, which share these limits. Absent: it is alone. */
  elsewhere?: Pick<FarSignals, 'ask' | 'say'>;
  /** Absent: this service has no secrets. */
  secrets?: Pick<Secrets, 'open'>;
}

/** Workers that were asked to drain, by id; every server on the store reads it. */
export const DRAINS = 'drains';
/** The age at which the record of a draining worker is renewed. */
const RENEWED_AFTER_MS = 86_400_000;

export class WorkService implements WorkApi {
  /** By worker: the token that it calls with. */
  private readonly tokens = new Map<string, string>();
  private readonly hashes = new WeakMap<Plan, string>();
  private readonly refused: Waiters;
  private readonly exits = new Exits();
  private closing = false;

  constructor(private readonly options: WorkServiceOptions) {
    this.refused = new Waiters(options.now);
  }

  /**
   * A name belongs to the token with which its worker first called, as long as the worker is alive. Nobody with another
   * token can ask or report in its name.
   */
  async admit(worker: string, token: string): Promise<void> {
    if (this.tokens.get(worker) === token) return;
    const known = (await this.options.store.members('worker')).find(({ id }) => id === worker);
    if (known?.alive && known.info.token !== token)
      throw new Problem('auth/worker', `worker ${worker} already exists and has another token`);
    this.tokens.set(worker, token);
    const [oldest] = this.tokens.keys();
    if (this.tokens.size > MOST_REMEMBERED) this.tokens.delete(oldest!);
  }

  /** Hands out nothing more. */
  close(): void {
    this.closing = true;
  }

  async claim(request: ClaimRequest, signal?: AbortSignal): Promise<ClaimAnswer> {
    const { assignments, ...answer } = await this.take(request, signal);
    return { ...answer, ...toWire(assignments, (plan) => this.hash(plan)) };
  }

  /** The same service for the worker in this process. */
  get near(): NearWorkApi {
    const { engine } = this.options;
    const took = (executionId: string, ms: number) => engine.took(executionId, ms);
    return Object.assign(Object.create(this) as WorkApi, { claim: this.take.bind(this), took });
  }

  private async take(request: ClaimRequest, signal?: AbortSignal): Promise<NearAnswer> {
    const { now } = this.options;
    const begun = now();
    await this.meet(request);
    // One of them has not heard yet; the store knows.
    if ((request.draining ?? false) !== this.options.desk.isDraining(request.worker))
      await this.isDraining(request.worker);
    const { worker, labels, kinds } = request;
    const over = new AbortController();
    const end = () => over.abort();
    const timer = setTimeout(end, Math.min(request.wait_ms, LONGEST_WAIT_MS));
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
    try {
      const free = this.closing ? 0 : request.free;
      const claim = { worker, labels, kinds: new Set(kinds), free };
      const { jobs, stop, ended } = await this.options.desk.claim(claim, over.signal);
      const answered = now();
      return { now: answered, waited_ms: answered - begun, assignments: jobs, stop, ended };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }

  async report({ worker, reports }: ReportRequest): Promise<ReportAnswer> {
    const held = await this.options.engine.leases.reportJobs(worker, reports);
    reports.forEach((job, index) => {
      if (!held[index]) this.options.desk.done(job);
    });
    return { held };
  }

  async beat(request: BeatRequest): Promise<BeatAnswer> {
    const { engine, ttlMs, now } = this.options;
    checkProtocol(request.protocol);
    const { jobs } = request;
    // Whoever drives one of the jobs learns from the store what the worker holds.
    await this.say(request, jobs.map(jobText));
    const held = await engine.leases.heldAmong(request.worker, jobs, this.isCurrent);
    const stop = jobs.filter((job) => !held.has(job));
    const drain = (await this.isDraining(request.worker)) ? { drain: true as const } : {};
    return { now: now(), stop, ttl_ms: ttlMs, again_ms: ttlMs / BEATS_IN_TTL, ...drain };
  }

  /**
   * The worker receives no more jobs from here, and learns of it with its next beat, to whichever server it sends that.
   */
  async drain(worker: string): Promise<void> {
    await this.checkAlive(worker);
    await this.options.store.records.put(DRAINS, worker, { at: this.options.now() });
    this.options.desk.drain(worker);
  }

  /** The worker takes jobs again. If it waits at another server, that learns of it with the first claim after a beat. */
  async resume(worker: string): Promise<void> {
    await this.checkAlive(worker);
    await this.options.store.records.remove(DRAINS, worker);
    this.options.desk.resume(worker);
  }

  private async checkAlive(worker: string): Promise<void> {
    const known = (await this.options.store.members('worker')).find(({ id }) => id === worker);
    if (!known?.alive) throw new Problem('not-found', `there is no worker ${worker}`);
  }

  async draining(): Promise<ReadonlySet<string>> {
    return new Set((await this.options.store.records.list(DRAINS)).map(({ key }) => key));
  }

  private async isDraining(worker: string): Promise<boolean> {
    const { store, desk, now } = this.options;
    const kept = await store.records.get(DRAINS, worker);
    if (kept === undefined) {
      if (desk.isDraining(worker)) desk.resume(worker);
      return false;
    }
    desk.drain(worker);
    // Servers remove old records, and this worker is alive.
    if (now() - Number(kept.value.at) > RENEWED_AFTER_MS)
      await store.records.put(DRAINS, worker, { at: now() }, kept.version);
    return true;
  }

  async leave({ worker }: { worker: string }): Promise<void> {
    const { engine, desk, store } = this.options;
    this.tokens.delete(worker);
    await store.leave(worker);
    await store.records.remove(DRAINS, worker);
    engine.leases.expire(worker, engine.leases.heldBy(worker));
    desk.gone(worker);
  }

  async plan(hash: string): Promise<Plan> {
    const plan = await this.options.store.plan(hash);
    if (plan === undefined) throw new Problem('not-found', `there is no plan ${hash}`);
    return plan;
  }

  async child(call: ChildCall): Promise<ChildAnswer> {
    const { engine } = this.options;
    await this.checkHeld(call);
    const { execution_id, job_id, request } = call;
    const state = engine.stateOf(execution_id) ?? (await engine.storedState(execution_id));
    return engine.child({ execution_id, job_id, granted: state?.granted ?? {} }, request);
  }

  /** Only runs that were called by a job that the worker holds. */
  async cancelChild({ worker, execution_id, reason }: CancelChildRequest): Promise<void> {
    const { engine } = this.options;
    const caller = (await engine.storedState(execution_id))?.parent;
    if (caller === undefined)
      throw new Problem('auth/role', 'a worker may end only runs that a playbook called');
    const state = await engine.storedState(caller.execution_id);
    const fence = state?.jobs.get(caller.job_id)?.fence ?? 0;
    await this.checkHeld({ worker, ...caller, fence });
    await engine.cancelChild(execution_id, reason);
  }

  async enter(request: EnterRequest): Promise<{ wait_ms: number }> {
    const { worker: member, key, holder, concurrency, per_second: perSecond } = request;
    const permit = { key, holder, member, concurrency, perSecond };
    const { permits } = this.options.store;
    const waiter = this.exits.wait(key);
    try {
      const wait_ms = await permits.enter(permit);
      this.refused.note(request, wait_ms);
      // A rate is governed by the clock; a place becomes free when somebody leaves it.
      if (wait_ms === 0 || concurrency === null) return { wait_ms };
      this.options.elsewhere?.ask(key);
      await waiter.left(Math.min(wait_ms, LONGEST_STAY_MS));
    } finally {
      waiter.end();
    }
    const isIn = (await permits.enter(permit)) === 0;
    if (isIn) this.refused.note(request, 0);
    return { wait_ms: isIn ? 0 : AT_ONCE_MS };
  }

  /** Those who asked to enter here and must ask again. */
  waiters(): Iterable<Waiter> {
    return this.refused.list();
  }

  async exit({ key, holder }: { key: string; holder: string }): Promise<void> {
    await this.options.store.permits.exit(key, holder);
    this.exits.left(key);
    this.options.elsewhere?.say(key);
  }

  /** Somebody left a limit on another server. */
  leftElsewhere(key: string, places: number): void {
    this.exits.left(key, places);
  }

  async log({ lines }: { lines: WireLogLine[] }): Promise<void> {
    await this.options.onLog(lines);
  }

  /** Only the secrets that the document uses, and only for a worker that currently holds one of its jobs. */
  async secrets(request: SecretsRequest): Promise<{ secrets: Record<string, Record<string, string>> }> {
    const { engine, secrets } = this.options;
    await this.checkHeld(request);
    const { execution_id: id } = request;
    const state = engine.stateOf(id) ?? (await engine.storedState(id));
    const opened: Record<string, Record<string, string>> = {};
    for (const entry of state ? usedKeychain(state.plan) : []) {
      const name = storedName(entry, 'server');
      const fields = name === undefined ? undefined : await secrets?.open(name);
      if (name !== undefined && fields !== undefined) opened[name] = fields;
    }
    return { secrets: opened };
  }

  private async checkHeld({ worker, ...job }: SecretsRequest): Promise<void> {
    const held = await this.options.engine.leases.heldAmong(worker, [job], this.isCurrent);
    if (held.size === 0) throw new Problem('worker/stale', 'this worker no longer holds the job');
  }

  private get isCurrent(): boolean {
    return this.options.isCurrent?.() ?? true;
  }

  /** A worker becomes a member before it gets a job, so that nobody considers it dead. */
  private async meet(info: WorkerInfo): Promise<void> {
    checkProtocol(info.protocol);
    if (this.options.desk.knows(info.worker)) return;
    await this.say(info, null);
    await this.isDraining(info.worker);
  }

  /** `jobs` is null for a claim, which does not list the jobs that the worker holds. */
  private async say(about: WorkerInfo, jobs: string[] | null): Promise<void> {
    const { worker, version, slots, labels, kinds } = about;
    // The worker in this process has no token.
    const token = this.tokens.get(worker) ?? null;
    const info = { version, slots, labels, kinds, jobs, token };
    await this.options.store.beat({ id: worker, kind: 'worker', info }, this.options.ttlMs);
  }

  private hash(plan: Plan): string {
    let hash = this.hashes.get(plan);
    if (hash === undefined) {
      hash = hashPlan(plan);
      this.hashes.set(plan, hash);
    }
    return hash;
  }
}
