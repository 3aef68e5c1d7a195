/**
 * The desk: where workers of other processes ask for jobs.
 *
 * Owns: the waiting claims, which of them a job goes to, what a worker must be told to stop. Does not own: leases and
 * fences (the log has them), who is alive (upkeep.ts).
 * Invariant: a job that was handed out and never arrived is noticed and handed out again: the worker does not name it
 * in two beats that it sent after the lease.
 */
import { type Assignment, isNamedCall, jobKey, needsTool, type Plan, type Step } from '@woof/net';
import type { HeldJob } from './engine-options.ts';
import type { Executor, Placement } from './executor.ts';
import { jobText } from './job-text.ts';

export interface Claim {
  worker: string;
  labels: Readonly<Record<string, string>>;
  kinds: ReadonlySet<string>;
  /** How many more jobs it can take. A claim with 0 only learns what it must stop. */
  free: number;
}

/** The answer to a claim. */
export interface Handed {
  jobs: Assignment[];
  stop: { execution_id: string; job_id: string }[];
  ended: string[];
}

interface Waiting extends Claim {
  answer(handed: Handed): void;
}

/** What is ready for a worker that is not asking at the moment. */
interface Tray extends Handed {
  answering: boolean;
}

export interface DeskHooks {
  /** Called when a worker that could take a job asks, or when a slot reserved for a job is free again. */
  onFree(): void;
}

/**
 * The most jobs in one answer. They wait for their commit and then for each other on the worker, and meanwhile no other
 * worker can take them.
 */
const MOST_AT_ONCE = 128;
const BEATS_UNTIL_LOST = 2;

export class Desk implements Executor {
  private readonly waiting = new Map<string, Waiting>();
  private readonly trays = new Map<string, Tray>();
  /**
   * By worker and job: what it was given, as its beats name it, so that it can be told when the job is no longer
   * needed.
   */
  private readonly given = new Map<string, Map<string, string>>();
  /** By execution: the workers with kernels of it. */
  private readonly sessions = new Map<string, Set<string>>();
  /** By worker and job: how many beats did not name a job that was handed out before them. */
  private readonly unnamed = new Map<string, Map<string, number>>();
  /** By worker: its last claim. */
  private readonly known = new Map<string, Claim>();
  /** By worker: slots reserved for jobs whose leases are not durable yet. */
  private readonly kept = new Map<string, number>();
  /** Workers that receive only what must stay with them. */
  private readonly draining = new Set<string>();
  private free = 0;

  constructor(private readonly hooks: DeskHooks) {}

  // For workers.

  /**
   * Waits for something to hand over; `signal` ends the wait with nothing. There is one claim per worker: a newer one
   * ends the older.
   */
  claim(claim: Claim, signal: AbortSignal): Promise<Handed> {
    this.waiting.get(claim.worker)?.answer(nothing());
    this.known.set(claim.worker, claim);
    return new Promise((resolve) => {
      const waiting: Waiting = {
        ...claim,
        free: Math.max(0, Math.min(claim.free, MOST_AT_ONCE) - this.onTheWay(claim.worker)),
        answer: (handed) => {
          signal.removeEventListener('abort', stop);
          if (this.waiting.get(claim.worker) === waiting) this.waiting.delete(claim.worker);
          this.free -= waiting.free;
          waiting.free = 0;
          resolve(handed);
        },
      };
      const stop = () => waiting.answer(nothing());
      if (signal.aborted) return resolve(nothing());
      signal.addEventListener('abort', stop, { once: true });
      this.waiting.set(claim.worker, waiting);
      this.free += waiting.free;
      this.hand(claim.worker);
      if (waiting.free > 0) this.hooks.onFree();
    });
  }

  /**
   * Call with each beat: returns the jobs that the log leases to this worker and that two beats did not name. The
   * worker never received them, or lost them. A job seen for the first time may be younger than the beat, which then
   * says nothing about it.
   */
  lostOf(worker: string, names: ReadonlySet<string>, held: Iterable<HeldJob>): HeldJob[] {
    const before = this.unnamed.get(worker);
    const now = new Map<string, number>();
    const lost: HeldJob[] = [];
    const note = (name: string): boolean => {
      const count = names.has(name) ? 0 : (before?.get(name) ?? -1) + 1;
      now.set(name, count);
      return count >= BEATS_UNTIL_LOST;
    };
    for (const job of held) if (note(jobText(job))) lost.push(job);
    // If an execution is no longer driven here, its worker reports elsewhere.
    const given = this.given.get(worker);
    for (const [key, name] of given ?? []) if (!now.has(name) && note(name)) given!.delete(key);
    this.unnamed.set(worker, now);
    return lost;
  }

  /** The worker starts nothing new. Runs whose state it holds end there, so it still receives their next jobs. */
  drain(worker: string): void {
    this.draining.add(worker);
  }

  /** It asks again at once, and then gets what waits for it. */
  resume(worker: string): void {
    this.draining.delete(worker);
    this.waiting.get(worker)?.answer(nothing());
  }

  isDraining(worker: string): boolean {
    return this.draining.has(worker);
  }

  gone(worker: string): void {
    this.waiting.get(worker)?.answer(nothing());
    this.draining.delete(worker);
    for (const map of [this.trays, this.unnamed, this.given]) map.delete(worker);
    this.known.delete(worker);
    for (const workers of this.sessions.values()) workers.delete(worker);
  }

  /** Claims that could take something now. */
  idle(): Claim[] {
    return [...this.waiting.values()].filter(({ worker, free }) => free > 0 && !this.draining.has(worker));
  }

  /** True if the worker asked here and is not gone. */
  knows(worker: string): boolean {
    return this.known.has(worker);
  }

  /** True if a worker that could take the job asks here, or holds something that it received here. */
  mayTake(needs: Needs): boolean {
    for (const [worker, claim] of this.known)
      if (this.isHere(worker) && !this.draining.has(worker) && suits(claim, needs)) return true;
    return false;
  }

  // For the engine.

  /** How many jobs workers hold, here and in other processes: while they do, they may call at any time. */
  get busy(): number {
    let given = 0;
    for (const jobs of this.given.values()) given += jobs.size;
    return given;
  }

  freeSlots(): number {
    return this.free;
  }

  place({ step, plan, home }: Placement): string | undefined {
    const needs = needsOf(step, plan);
    const at = home !== undefined && this.known.has(home) ? home : undefined;
    const claim = at === undefined ? this.roomiest(needs) : this.waiting.get(at);
    if (claim === undefined || claim.free <= 0 || !suits(claim, needs)) return undefined;
    claim.free -= 1;
    this.free -= 1;
    this.keep(claim.worker, 1);
    return claim.worker;
  }

  unplace(worker: string): void {
    this.keep(worker, -1);
    const claim = this.waiting.get(worker);
    if (claim === undefined) return;
    claim.free += 1;
    this.free += 1;
    this.hooks.onFree();
  }

  execute(assignment: Assignment, worker: string): void {
    this.keep(worker, -1);
    this.givenTo(worker).set(jobKey(assignment), jobText(assignment));
    if (assignment.plan.kind === 'notebook') this.noteSession(assignment.execution_id, worker);
    this.tray(worker).jobs.push(assignment);
    this.handSoon(worker);
  }

  /** What is sent must be durable. */
  startsPure(): boolean {
    return false;
  }

  abort(executionId: string, jobId: string): void {
    const job = { execution_id: executionId, job_id: jobId };
    const key = jobKey(job);
    const worker = this.takeBack(key);
    if (worker === undefined) return;
    const tray = this.tray(worker);
    const unsent = tray.jobs.findIndex((assignment) => jobKey(assignment) === key);
    if (unsent >= 0) tray.jobs.splice(unsent, 1);
    else tray.stop.push(job);
    this.handSoon(worker);
  }

  /** The job is over, or belongs to nobody. */
  done(job: Pick<HeldJob, 'execution_id' | 'job_id'>): void {
    this.takeBack(jobKey(job));
  }

  ended(executionId: string): void {
    for (const worker of this.sessions.get(executionId) ?? []) {
      this.tray(worker).ended.push(executionId);
      this.handSoon(worker);
    }
    this.sessions.delete(executionId);
  }

  private isHere(worker: string): boolean {
    return this.waiting.has(worker) || this.onTheWay(worker) > 0 || (this.given.get(worker)?.size ?? 0) > 0;
  }

  private givenTo(worker: string): Map<string, string> {
    const jobs = this.given.get(worker) ?? new Map<string, string>();
    this.given.set(worker, jobs);
    return jobs;
  }

  /** Returns the worker that had the job. */
  private takeBack(key: string): string | undefined {
    for (const [worker, jobs] of this.given) if (jobs.delete(key)) return worker;
    return undefined;
  }

  private onTheWay(worker: string): number {
    return (this.kept.get(worker) ?? 0) + (this.trays.get(worker)?.jobs.length ?? 0);
  }

  private keep(worker: string, change: number): void {
    const kept = (this.kept.get(worker) ?? 0) + change;
    if (kept > 0) this.kept.set(worker, kept);
    else this.kept.delete(worker);
  }

  private roomiest(needs: Needs): Waiting | undefined {
    let best: Waiting | undefined;
    for (const claim of this.waiting.values()) {
      if (this.draining.has(claim.worker)) continue;
      if (claim.free > (best?.free ?? 0) && suits(claim, needs)) best = claim;
    }
    return best;
  }

  private noteSession(executionId: string, worker: string): void {
    const workers = this.sessions.get(executionId) ?? new Set();
    this.sessions.set(executionId, workers.add(worker));
  }

  private tray(worker: string): Tray {
    let tray = this.trays.get(worker);
    if (tray === undefined) {
      tray = { ...nothing(), answering: false };
      this.trays.set(worker, tray);
    }
    return tray;
  }

  /** Waits for the end of this tick, so that all jobs of one commit go in one answer. */
  private handSoon(worker: string): void {
    const tray = this.tray(worker);
    if (tray.answering) return;
    tray.answering = true;
    queueMicrotask(() => {
      tray.answering = false;
      this.hand(worker);
    });
  }

  private hand(worker: string): void {
    const tray = this.trays.get(worker);
    const claim = this.waiting.get(worker);
    if (tray === undefined || claim === undefined) return;
    const { jobs, stop, ended } = tray;
    if (jobs.length + stop.length + ended.length === 0) return;
    this.trays.delete(worker);
    claim.answer({ jobs, stop, ended });
  }
}

/** What a step requires of a worker. */
export interface Needs {
  labels: Readonly<Record<string, string>>;
  kinds: ReadonlySet<string>;
  /** Equal for equal needs. */
  text: string;
}

export function newNeeds(labels: Needs['labels'], kinds: Iterable<string>): Needs {
  const sorted = [Object.entries(labels).sort(), [...kinds].sort()];
  return { labels, kinds: new Set(kinds), text: JSON.stringify(sorted) };
}

const needsByStep = new WeakMap<Step, Needs>();

/** For a local run, one worker must be able to run all steps. */
export function needsOf(step: Step, plan: Pick<Plan, 'blocks' | 'steps' | 'isLocal'>): Needs {
  const known = needsByStep.get(step);
  if (known) return known;
  const needs = plan.isLocal ? needsOfAll(plan.steps, plan.blocks) : needsOfAll([step], plan.blocks);
  for (const each of plan.isLocal ? plan.steps : [step]) needsByStep.set(each, needs);
  return needs;
}

function needsOfAll(steps: readonly Step[], blocks: Plan['blocks']): Needs {
  const own = steps.flatMap((step) => step.tasks);
  // A call of a named task may run any of the playbook's named tasks.
  const tasks = own.some(isNamedCall) ? [...own, ...Object.values(blocks)] : own;
  const kinds = new Set(tasks.filter(needsTool).map(({ kind }) => kind));
  return newNeeds(Object.assign({}, ...steps.map((step) => step.labels)), kinds);
}

export function suits(
  claim: Pick<Claim, 'labels' | 'kinds'>,
  { labels, kinds }: Pick<Needs, 'labels' | 'kinds'>,
): boolean {
  for (const kind of kinds) if (!claim.kinds.has(kind)) return false;
  for (const [name, value] of Object.entries(labels)) if (claim.labels[name] !== value) return false;
  return true;
}

const nothing = (): Handed => ({ jobs: [], stop: [], ended: [] });
