/**
 * What a server does every second besides serving: says that it is alive, notices who no longer is, takes over what has
 * no driver, and gives away what it has no worker for.
 *
 * Who is alive is judged by the store's clock alone. An unavailable store only delays all of this.
 */
import { homeWorker, type JsonObject } from '@woof/net';
import {
  type ExecutionFilter,
  type ExecutionRow,
  isLocalDriver,
  type Member,
  type MemberRow,
  type SharedStore,
} from '@woof/stores';
import { type Desk, type Needs, needsOf, newNeeds, suits } from './desk.ts';
import type { Engine } from './engine.ts';
import type { HeldJob } from './engine-options.ts';
import { BEATS_IN_TTL } from './leases.ts';
import type { LiveExecution } from './live-execution.ts';

/** How many executions are taken over at a time. */
const TAKEN_AT_ONCE = 100;
/** A job is offered to other servers when the workers here that could take it have been busy for this long. */
const OFFER_AFTER_MS = 1000;
/** What is left over in this time is handled together; a worker that just reported asks again meanwhile. */
const GATHER_MS = 20;
/** The number of ready jobs of one execution that are checked: a loop may have many that all ask for the same. */
const LOOKED_AT = 100;
/** Executions that are looked at in one go; others have their turn in between. */
const OFFERED_AT_ONCE = 100;
const ROUNDS_BETWEEN_GATES = 30;

export interface UpkeepOptions {
  store: SharedStore;
  engine: Engine;
  desk: Desk;
  member: Member;
  /** A member that is silent for this long is considered gone. */
  ttlMs: number;
  everyMs: number;
  now: () => number;
  /** Removes some of what is too old. */
  clean?: () => Promise<void>;
  onFault: (error: unknown) => void;
}

export class Upkeep {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;
  /** Something came up during the current round. */
  private isWanted = false;
  /** Other servers, as of the last round. */
  private others: readonly string[] = [];
  private lookTimer: NodeJS.Timeout | undefined;
  private lookAt = Number.POSITIVE_INFINITY;
  /** Another server offers something, or may. */
  private isTold = true;
  private isTaking = false;
  /** What other servers wanted when this one last looked, and nobody here could take. */
  private wanted: Needs[] = [];
  /** True: an answer was lost that may have said what became this server's. */
  private isUnsure = false;
  /** When it last said that it is alive. */
  private saidAt = Number.NEGATIVE_INFINITY;
  private rounds = 0;
  /** The last gate that was looked at, while there are more. */
  private gatesAfter: string | undefined;
  /** By worker: the beat that was looked at last. */
  private readonly beats = new Map<string, number>();
  private unlisten: (() => Promise<void>) | undefined;

  constructor(private readonly options: UpkeepOptions) {}

  /** Resolves when the server is a member and has looked around once. */
  async start(): Promise<void> {
    const { store, member, engine } = this.options;
    this.unlisten = await store.listen(member.id, (message) => {
      if (typeof message.taken === 'string') engine.taken(message.taken, Number(message.seq));
      else if (message.offered === true) this.takeSoon();
      else if (message.joined === true) this.soon();
    });
    this.running = this.round();
    try {
      await this.running;
    } finally {
      this.running = undefined;
    }
    // They may have work for its workers.
    await this.tellOthers({ joined: true }).catch(this.options.onFault);
    this.schedule();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    clearTimeout(this.lookTimer);
    await this.running;
    await this.unlisten?.().catch(this.options.onFault);
    await this.options.store.leave(this.options.member.id).catch(this.options.onFault);
  }

  /** True: no other server can have considered this one dead. */
  isCurrent(): boolean {
    return this.options.now() - this.saidAt < this.options.ttlMs;
  }

  /** There is work that no worker here took. */
  leftOver(): void {
    if (this.others.length > 0) this.lookIn(GATHER_MS);
  }

  /** A worker here asks for something: it may be the one that another server wants. */
  freed(): void {
    if (this.wanted.length === 0) return;
    const idle = this.options.desk.idle();
    if (this.wanted.some((needs) => idle.some((claim) => suits(claim, needs)))) this.takeSoon();
  }

  /**
   * Tells a server that one of its executions was taken. It may miss the message, and then notices at its next write.
   */
  tellTaken(executionId: string, from: string, seq: number): void {
    const { store, member, onFault } = this.options;
    store.tell(from, { taken: executionId, seq, by: member.id }).catch(onFault);
  }

  private othersAmong(members: readonly MemberRow[]): string[] {
    const isOther = ({ id, kind, alive }: MemberRow) =>
      kind === 'server' && alive && id !== this.options.member.id;
    return members.filter(isOther).map(({ id }) => id);
  }

  private async tellOthers(message: JsonObject): Promise<void> {
    for (const id of this.others) await this.options.store.tell(id, message);
  }

  private takeSoon(): void {
    this.isTold = true;
    if (!this.isTaking && !this.stopped) this.takeAll().catch(this.options.onFault);
  }

  private async takeAll(): Promise<void> {
    this.isTaking = true;
    try {
      while (this.isTold) await this.takeOffered();
    } finally {
      this.isTaking = false;
    }
  }

  /** Something happened that may be for this server. */
  private soon(): void {
    this.isWanted = true;
    if (!this.running) this.schedule();
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (!this.stopped) this.timer = setTimeout(() => this.tick(), this.isWanted ? 0 : this.options.everyMs);
  }

  private tick(): void {
    this.isWanted = false;
    this.running = this.round()
      .catch((error: unknown) => this.options.onFault(error))
      .finally(() => {
        this.running = undefined;
        this.schedule();
      });
  }

  private async round(): Promise<void> {
    const { store, member, ttlMs, engine } = this.options;
    const saidAt = this.options.now();
    await store.beat(member, ttlMs);
    this.saidAt = saidAt;
    // A worker is a member before it holds something. A worker that was gone may be back since, and hold something
    // else.
    const held = engine.leases.byWorker();
    const members = await store.members();
    this.noticeTheGone(
      members.filter(({ kind }) => kind === 'worker'),
      held,
    );
    this.others = this.othersAmong(members);
    if (this.isUnsure) await this.findOwn();
    for (let taken = await this.takeDue(); ; taken = await this.takeDue()) {
      await Promise.all(taken.map((id) => engine.driveSurely(id)));
      if (taken.length < TAKEN_AT_ONCE) break;
    }
    await this.adoptGates(new Set([member.id, ...this.others]));
    // A server that joins says so, and receives offers then.
    if (this.others.length > 0) {
      await this.offer();
      await this.takeOffered();
    }
    await this.options.clean?.();
  }

  private async takeDue(): Promise<string[]> {
    const { store, member } = this.options;
    try {
      return await store.takeDue(member.id, TAKEN_AT_ONCE);
    } catch (error) {
      this.isUnsure = true;
      throw error;
    }
  }

  /**
   * An execution that waits for a person has no job to give, but a clock may end its wait, so a live server must watch
   * it. One page per round, and again from the first page every few rounds.
   */
  private async adoptGates(living: ReadonlySet<string>): Promise<void> {
    const isTime = this.rounds++ % ROUNDS_BETWEEN_GATES === 0;
    if (this.gatesAfter === undefined && !isTime) return;
    const { engine } = this.options;
    const page = await this.page({ status: 'needs_human' }, this.gatesAfter);
    for (const { execution_id: id, driver } of page.rows) {
      if (driver == null || (!isLocalDriver(driver) && !living.has(driver))) await engine.driveSurely(id);
    }
    this.gatesAfter = page.next;
  }

  /** Everything that the store says is this server's is looked at. */
  private async findOwn(): Promise<void> {
    const { member, engine } = this.options;
    for (let after: string | undefined; ; ) {
      const { rows, next } = await this.page({ driver: member.id, status: 'running' }, after);
      for (const { execution_id: id } of rows) await engine.driveSurely(id);
      if (next === undefined) break;
      after = next;
    }
    this.isUnsure = false;
  }

  private async page(filter: ExecutionFilter, after: string | undefined) {
    const from = after === undefined ? {} : { before: after };
    const rows = await this.options.store.executions({ ...filter, ...from, limit: TAKEN_AT_ONCE });
    return { rows, next: rows.length < TAKEN_AT_ONCE ? undefined : rows.at(-1)!.execution_id };
  }

  private noticeTheGone(workers: readonly MemberRow[], held: ReadonlyMap<string, HeldJob[]>): void {
    const { engine, desk } = this.options;
    const living = new Set(workers.filter((one) => one.alive).map((one) => one.id));
    for (const [worker, jobs] of held) if (!living.has(worker)) engine.leases.expire(worker, jobs);
    for (const { id, alive } of workers) {
      if (alive) continue;
      desk.gone(id);
      this.beats.delete(id);
    }
    for (const worker of workers) if (worker.alive) this.compare(worker);
  }

  /** A worker does not have a job that it was given and does not name in two beats in a row. */
  private compare({ id, seen_at, info }: MemberRow): void {
    const { engine, desk, ttlMs } = this.options;
    // Beats in quick succession may all be older than what is in transit to the worker, which relies on this.
    const isNew = seen_at - (this.beats.get(id) ?? 0) > (ttlMs / BEATS_IN_TTL) * 0.9;
    if (!isNew || !Array.isArray(info.jobs)) return;
    this.beats.set(id, seen_at);
    const names = new Set(info.jobs as string[]);
    for (const job of desk.lostOf(id, names, engine.leases.heldBy(id)))
      engine.leases.expireJob(job, `worker ${id} does not have the job`);
  }

  private lookIn(ms: number): void {
    const at = this.options.now() + ms;
    if (this.stopped || this.lookAt <= at) return;
    clearTimeout(this.lookTimer);
    this.lookAt = at;
    this.lookTimer = setTimeout(() => void this.offer().catch(this.options.onFault), ms);
  }

  /** Says in the store which workers are wanted because none here could take the job, or all are busy. */
  private async offer(): Promise<void> {
    const { engine, desk, store } = this.options;
    this.lookAt = Number.POSITIVE_INFINITY;
    const known = new Map<string, boolean>();
    const mayTake = (needs: Needs): boolean => {
      if (!known.has(needs.text)) known.set(needs.text, desk.mayTake(needs));
      return known.get(needs.text)!;
    };
    const saved: Promise<void>[] = [];
    let looked = 0;
    for (const execution of [...engine.waiting()]) {
      if (++looked % OFFERED_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
      if (engine.letsOthersGoFirst(execution)) continue;
      const [first, ...more] = this.wantsOf(execution, mayTake);
      if (first === undefined) continue;
      saved.push(
        engine.want(execution, { ...plain(first), ...(more.length > 0 ? { or: more.map(plain) } : {}) }),
      );
    }
    if (saved.length === 0) return;
    // In this order: a server that is told finds the offer, and one that joins too late to be told finds it on its
    // first look.
    await Promise.all(saved);
    this.others = this.othersAmong(await store.members('server'));
    await this.tellOthers({ offered: true });
  }

  /** Empty: it is already offered, or workers here that could take it may do so soon. */
  private wantsOf(execution: LiveExecution, mayTake: (needs: Needs) => boolean): Needs[] {
    const wants = needsOfReady(execution, (worker) => this.options.desk.knows(worker));
    const text = wants.map((needs) => needs.text).join();
    if (wants.length === 0 || text === execution.offered) return [];
    const now = this.options.now();
    execution.unplacedSince ??= now;
    const left = execution.unplacedSince + OFFER_AFTER_MS - now;
    if (left > 0 && wants.every(mayTake)) {
      if (this.others.length > 0) this.lookIn(left);
      return [];
    }
    execution.offered = text;
    return wants;
  }

  private async takeOffered(): Promise<void> {
    const { store, desk, engine } = this.options;
    if (desk.idle().length === 0 && !this.isTold) return;
    this.isTold = false;
    const rows = await store.executions({ wanting: true, status: 'running', limit: TAKEN_AT_ONCE });
    for (const id of this.toTake(rows)) await engine.driveSurely(id);
  }

  /** In one synchronous step, so that a worker that asks meanwhile is either seen here or sees what is wanted. */
  private toTake(rows: readonly ExecutionRow[]): string[] {
    const { desk, member } = this.options;
    const idle = desk.idle().map(({ labels, kinds, free }) => ({ labels, kinds, free }));
    const taken: string[] = [];
    this.wanted = [];
    for (const { execution_id: id, driver, wants: wanted } of rows) {
      if (driver === member.id) continue;
      const wants = wantedBy(wanted as unknown as Wants);
      const claim = idle.find((one) => one.free > 0 && wants.some((needs) => suits(one, needs)));
      if (claim === undefined) this.wanted.push(...wants);
      else {
        claim.free -= 1;
        taken.push(id);
      }
    }
    return taken;
  }
}

/** As stored in a row. */
interface Wants {
  labels?: Record<string, string>;
  kinds?: string[];
  or?: Wants[];
}

const plain = ({ labels, kinds }: Needs) => ({ labels: { ...labels }, kinds: [...kinds] });

function wantedBy({ labels = {}, kinds = [], or = [] }: Wants): Needs[] {
  return [newNeeds(labels, kinds), ...or.flatMap(wantedBy)];
}

/**
 * What its ready jobs require of a worker, judged by the first of them. Jobs that must stay with a worker that asks
 * here want no other.
 */
function needsOfReady({ state }: LiveExecution, isHere: (worker: string) => boolean): Needs[] {
  const names = new Set<string>();
  let count = 0;
  for (const jobId of state.ready) {
    const job = state.jobs.get(jobId)!;
    const home = homeWorker(state, job);
    if (home === undefined || !isHere(home)) names.add(job.step);
    if (++count === LOOKED_AT) break;
  }
  const { plan } = state;
  return plan.steps.filter(({ name }) => names.has(name)).map((step) => needsOf(step, plan));
}
