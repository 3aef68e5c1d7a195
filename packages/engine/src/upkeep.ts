/**
 * What a server does every second beside serving: say that it is there, notice who is not any more, take over what has
 * no driver, and give away what it has no worker for.
 *
 * Who is alive is judged by the store's clock alone. A store that is away only delays all of this.
 */
import type { JsonObject } from '@woof/net';
import type { ExecutionFilter, Member, MemberRow, SharedStore } from '@woof/stores';
import { type Desk, needsOf, suits } from './desk.ts';
import type { Engine } from './engine.ts';
import type { LiveExecution } from './live-execution.ts';

/** How many executions are taken over at a time. */
const TAKEN_AT_ONCE = 100;
/** A job that no worker here takes for so long is offered to other servers. */
const OFFER_AFTER_MS = 1000;
const ROUNDS_BETWEEN_GATES = 30;

export interface UpkeepOptions {
  store: SharedStore;
  engine: Engine;
  desk: Desk;
  member: Member;
  /** A member that is silent for so long is gone. */
  ttlMs: number;
  everyMs: number;
  now: () => number;
  /** Removes a little of what is too old. */
  clean?: () => Promise<void>;
  onFault: (error: unknown) => void;
}

export class Upkeep {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;
  /** An answer was lost that may have said what became this server's. */
  private isUnsure = false;
  private rounds = 0;
  /** The last gate that was looked at, while there are more. */
  private gatesAfter: string | undefined;
  /** By worker: the beat that was looked at last. */
  private readonly beats = new Map<string, number>();
  private unlisten: (() => Promise<void>) | undefined;
  private alive: ReadonlySet<string> = new Set();

  constructor(private readonly options: UpkeepOptions) {}

  /** Resolves when the server is a member and has looked around once. */
  async start(): Promise<void> {
    const { store, member, engine } = this.options;
    this.unlisten = await store.listen(member.id, (message) => {
      if (typeof message.taken === 'string') engine.taken(message.taken, Number(message.seq));
      else if (message.offered === true) this.soon();
    });
    await this.round();
    this.schedule();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
    await this.unlisten?.().catch(this.options.onFault);
    await this.options.store.leave(this.options.member.id).catch(this.options.onFault);
  }

  /** Tells the server that an execution was taken from; it may miss it, and notices at its next write. */
  tellTaken(executionId: string, from: string, seq: number): void {
    const { store, member, onFault } = this.options;
    store.tell(from, { taken: executionId, seq, by: member.id }).catch(onFault);
  }

  isAlive = (worker: string): boolean => this.alive.has(worker);

  /** Something happened elsewhere that may be for this server. */
  private soon(): void {
    if (this.stopped || this.running) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tick(), 0);
  }

  private schedule(): void {
    if (!this.stopped) this.timer = setTimeout(() => this.tick(), this.options.everyMs);
  }

  private tick(): void {
    this.running = this.round()
      .catch((error: unknown) => this.options.onFault(error))
      .finally(() => {
        this.running = undefined;
        this.schedule();
      });
  }

  private async round(): Promise<void> {
    const { store, member, ttlMs, engine } = this.options;
    await store.beat(member, ttlMs);
    const members = await store.members();
    this.noticeTheGone(members.filter(({ kind }) => kind === 'worker'));
    const servers = members.filter(({ kind, alive }) => kind === 'server' && alive).map(({ id }) => id);
    if (this.isUnsure) await this.findOwn();
    for (let taken = await this.takeDue(); ; taken = await this.takeDue()) {
      await Promise.all(taken.map((id) => engine.driveSurely(id)));
      if (taken.length < TAKEN_AT_ONCE) break;
    }
    await this.adoptGates(new Set(servers));
    const others = servers.filter((id) => id !== member.id);
    await this.offer(engine.waiting(), others);
    if (others.length > 0) await this.takeOffered();
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
   * What waits for a person has no job to give, but a clock may end its wait: somebody living must watch that. A page a
   * round, and from the first again every so many rounds.
   */
  private async adoptGates(living: ReadonlySet<string>): Promise<void> {
    const isTime = this.rounds++ % ROUNDS_BETWEEN_GATES === 0;
    if (this.gatesAfter === undefined && !isTime) return;
    const { engine } = this.options;
    const page = await this.page({ status: 'needs_human' }, this.gatesAfter);
    for (const { execution_id: id, driver } of page.rows) {
      if (driver == null || !living.has(driver)) await engine.driveSurely(id);
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

  private noticeTheGone(workers: readonly MemberRow[]): void {
    const { engine, desk } = this.options;
    this.alive = new Set(workers.filter((one) => one.alive).map((one) => one.id));
    engine.leases.expire(this.isAlive);
    for (const { id, alive } of workers) {
      if (alive) continue;
      desk.gone(id);
      this.beats.delete(id);
    }
    for (const worker of workers) if (worker.alive) this.compare(worker);
  }

  /** What a worker was given and does not name at two beats in a row, it does not have. */
  private compare({ id, seen_at, info }: MemberRow): void {
    const { engine, desk } = this.options;
    if (this.beats.get(id) === seen_at) return;
    this.beats.set(id, seen_at);
    const names = new Set(info.jobs as string[] | undefined);
    for (const job of desk.lostOf(id, names, engine.leases.heldBy(id)))
      engine.leases.expireJob(job, `worker ${id} does not know of it`);
  }

  /** Says in the store which workers are wanted that do not ask here. */
  private async offer(waiting: Iterable<LiveExecution>, others: readonly string[]): Promise<void> {
    const { engine, desk, now, store } = this.options;
    let offered = false;
    for (const execution of waiting) {
      if (execution.isOffered) continue;
      execution.unplacedSince ??= now();
      if (desk.hasWorkers && now() - execution.unplacedSince < OFFER_AFTER_MS) continue;
      const wants = wantsOf(execution);
      if (wants === undefined) continue;
      execution.isOffered = true;
      engine.want(execution, wants);
      offered = true;
    }
    if (!offered) return;
    for (const id of others) await store.tell(id, { offered: true });
  }

  private async takeOffered(): Promise<void> {
    const { store, desk, member, engine } = this.options;
    if (desk.idle().length === 0) return;
    for (const row of await store.executions({ wanting: true, status: 'running', limit: TAKEN_AT_ONCE })) {
      if (row.driver === member.id) continue;
      const { labels = {}, kinds = [] } = row.wants as { labels?: Record<string, string>; kinds?: string[] };
      const needs = { labels, kinds: new Set(kinds) };
      if (desk.idle().some((claim) => suits(claim, needs))) await engine.driveSurely(row.execution_id);
    }
  }
}

function wantsOf({ state }: LiveExecution): JsonObject | undefined {
  for (const jobId of state.ready) {
    const name = state.jobs.get(jobId)!.step;
    const step = state.plan.steps.find((one) => one.name === name)!;
    const { labels, kinds } = needsOf(step, state.plan.blocks);
    return { labels: { ...labels }, kinds: [...kinds] };
  }
  return undefined;
}
