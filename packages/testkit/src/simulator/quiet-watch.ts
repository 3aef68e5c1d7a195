/**
 * If nothing fails, nothing waits for a clock: whatever can continue continues at once.
 *
 * Owns: since when each job is where it is, according to the log and the tools. Does not own: what must be true of
 * every log (log-watch.ts).
 * Rules, within `MOST_MS` of simulated time:
 * - a ready job is given to a worker that has room for it, unless that worker received another job meanwhile, or
 *   another job of the execution was given to somebody;
 * - a leased job is running in a tool, or was, or is waiting to enter a limit;
 * - a task that waits to enter a limit enters it when there is a place;
 * - a job that waits for a nested playbook continues when that has ended;
 * - an execution without jobs ends.
 */
import { type Event, isEnded, type Job, jobIdOf, type State } from '@woof/net';
import { type LogWatch, Violation } from './log-watch.ts';

/**
 * Far longer than commits and calls take, and far shorter than the intervals of upkeep and heartbeats in a quiet run.
 */
const MOST_MS = 400;
/** How long a job may wait for a busy worker of its server before other servers get it. */
const GRACE_MS = 1000;

/** The size of the only limit. */
export const LIMIT_PLACES = 2;

export interface WatchedWorker {
  slots: number;
  labels: Readonly<Record<string, string>>;
}

interface Room extends WatchedWorker {
  leased: number;
  /** The last time at which it had no room, or received a job. */
  usedAt: number;
}

interface Place {
  /** Status and fence. */
  at: string;
  since: number;
}

export class QuietWatch {
  private readonly rooms = new Map<string, Room>();
  private readonly places = new Map<string, Map<string, Place>>();
  private readonly changedAt = new Map<string, number>();
  /** By execution and job: how many tools are running. */
  private readonly running = new Map<string, number>();
  private readonly touchedAt = new Map<string, number>();
  /** Task runs that are waiting to enter the limit: execution/task run. */
  private readonly atLimit = new Set<string>();
  private inLimit = 0;
  /** When somebody last began to wait for the limit, entered or left it. */
  private limitUsedAt = 0;
  /** Servers that a worker has called. */
  private readonly met = new Set<string>();

  constructor(
    private readonly watch: LogWatch,
    private readonly now: () => number,
  ) {}

  joined(worker: string, { slots, labels }: WatchedWorker): void {
    this.rooms.set(worker, { slots, labels, leased: 0, usedAt: this.now() });
  }

  claimed(server: string): void {
    this.met.add(server);
  }

  toolStarts(execution: string, job: string): void {
    this.tool(`${execution} ${job}`, 1);
  }

  toolEnds(execution: string, job: string): void {
    this.tool(`${execution} ${job}`, -1);
  }

  waits(holder: string): void {
    this.atLimit.add(holder);
    this.limitUsedAt = this.now();
  }

  enters(holder: string): void {
    this.atLimit.delete(holder);
    const [execution, ...taskRun] = holder.split('/');
    this.touchedAt.set(`${execution} ${taskRun.slice(0, -1).join('/')}`, this.now());
    this.inLimit += 1;
    this.limitUsedAt = this.now();
  }

  leaves(): void {
    this.inLimit -= 1;
    this.limitUsedAt = this.now();
  }

  /** Call after the log was folded. */
  see(id: string, events: readonly Event[]): void {
    const state = this.watch.stateOf(id)!;
    const before = this.places.get(id) ?? new Map<string, Place>();
    const after = new Map<string, Place>();
    const isServed = events.some(({ name }) => name === 'execution.driven' || name === 'job.leased');
    for (const job of isEnded(state) ? [] : state.jobs.values()) {
      const at = `${job.status} ${job.fence}`;
      const known = before.get(job.id);
      after.set(
        job.id,
        known?.at === at && !(isServed && job.status === 'ready') ? known : { at, since: this.now() },
      );
    }
    for (const event of events) {
      const job = jobIdOf(event);
      if (job !== undefined) this.touchedAt.set(`${id} ${job}`, this.now());
      if (event.name === 'job.leased') this.rooms.get(event.data.worker)!.usedAt = this.now();
    }
    this.places.set(id, after);
    this.changedAt.set(id, this.now());
    this.countLeased();
  }

  check(): void {
    this.checkLimit();
    for (const state of this.watch.unended) {
      const waited = state.jobs.size === 0 ? this.now() - this.changedAt.get(state.execution_id)! : 0;
      if (waited > MOST_MS) this.violated(state, 'it', waited, 'is not over and has no job');
      for (const job of state.jobs.values()) this.checkJob(state, job);
    }
  }

  private checkLimit(): void {
    const waited = this.now() - this.limitUsedAt;
    const [first] = this.atLimit;
    if (first === undefined || this.inLimit >= LIMIT_PLACES || waited <= MOST_MS) return;
    throw new Violation(`${first} waits for a limit that has a place, for ${Math.round(waited)} ms`);
  }

  private checkJob(state: State, job: Job): void {
    if (job.status === 'ready') this.checkReady(state, job);
    if (job.status === 'leased') this.checkLeased(state, job);
    if (job.status === 'parked' && job.child !== null) this.checkParked(state, job);
  }

  private checkReady(state: State, job: Job): void {
    const labels = state.plan.steps.find(({ name }) => name === job.step)!.labels ?? {};
    const suits = (room: Room) =>
      room.leased < room.slots &&
      Object.entries(labels).every(([name, value]) => room.labels[name] === value);
    const free = [...this.rooms.values()].filter(suits);
    const since = Math.max(this.since(state, job), Math.min(...free.map(({ usedAt }) => usedAt)));
    const grace = this.met.has(state.driver ?? '') ? GRACE_MS : 0;
    const waited = this.now() - since;
    if (waited > MOST_MS + grace)
      this.violated(state, job.id, waited, 'is ready, and a worker has room for it');
  }

  private checkLeased(state: State, job: Job): void {
    const key = `${state.execution_id} ${job.id}`;
    const isAtLimit = [...this.atLimit].some((holder) =>
      holder.startsWith(`${state.execution_id}/${job.id}/`),
    );
    if (isAtLimit || (this.running.get(key) ?? 0) > 0) return;
    const waited = this.now() - Math.max(this.since(state, job), this.touchedAt.get(key) ?? 0);
    if (waited > MOST_MS)
      this.violated(state, job.id, waited, `is leased to ${job.worker}, and no tool runs`);
  }

  private checkParked(state: State, job: Job): void {
    const child = this.watch.stateOf(job.child!);
    if (child === undefined || !isEnded(child)) return;
    const waited = this.now() - Math.max(this.since(state, job), this.changedAt.get(job.child!)!);
    if (waited > MOST_MS) this.violated(state, job.id, waited, 'waits for a nested playbook that has ended');
  }

  private since({ execution_id: id }: State, job: Job): number {
    return this.places.get(id)!.get(job.id)!.since;
  }

  private tool(key: string, change: number): void {
    this.running.set(key, (this.running.get(key) ?? 0) + change);
    this.touchedAt.set(key, this.now());
  }

  private countLeased(): void {
    const full = [...this.rooms.values()].filter(({ leased, slots }) => leased >= slots);
    for (const room of this.rooms.values()) room.leased = 0;
    for (const state of this.watch.unended) {
      for (const { status, worker } of state.jobs.values()) {
        if (status === 'leased') this.rooms.get(worker!)!.leased += 1;
      }
    }
    for (const room of full) room.usedAt = this.now();
  }

  private violated({ execution_id: id }: State, what: string, waited: number, why: string): never {
    throw new Violation(`execution ${id}: ${what} ${why}, for ${Math.round(waited)} ms where nothing fails`);
  }
}
