/**
 * Which job goes to which worker.
 *
 * Owns: the executions with ready jobs, highest priority first, one job at a time in turn (fair-order.ts). Does not
 * own: what a lease means (net), when it is durable (group-commit.ts).
 */
import { type Assignment, type JobPort, jobOf, nextReady, type Step } from '@woof/net';
import type { Bounds } from './bounds.ts';
import { callingSteps } from './calling-steps.ts';
import type { Decisions } from './decisions.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Executor } from './executor.ts';
import { FairOrder } from './fair-order.ts';
import type { Family } from './family.ts';
import type { GroupCommit } from './group-commit.ts';
import type { LiveExecution } from './live-execution.ts';
import type { LongTurns } from './long-turns.ts';

export interface DispatchParts {
  readonly options: Pick<EngineOptions, 'executor' | 'onLeftOver'>;
  readonly live: ReadonlyMap<string, LiveExecution>;
  readonly bounds: Pick<Bounds, 'hasOthers'>;
  readonly commit: Pick<GroupCommit, 'schedule'>;
  readonly decisions: Pick<Decisions, 'lease'>;
  readonly family: Pick<Family, 'startsWait'>;
  readonly longTurns: Pick<LongTurns, 'isEmpty' | 'putOff'>;
  readonly port: JobPort;
}

/** The most jobs that are leased before a commit. */
const LEASED_AT_ONCE = 512;
/**
 * The same once each run with ready jobs has had a turn. Others may have ready jobs before the commit is done, and
 * these wait for it. Measured beside endless loops: a short run takes half as long, and a fan-out beside another run no
 * longer.
 */
const LEASED_BESIDE_OTHERS = 32;
/** The most executions that are passed over before a commit, besides one per run. */
const PASSED_OVER = 16;

interface Leased {
  execution: LiveExecution;
  assignment: Assignment;
  worker: string;
  /** The length of the log including the lease. */
  seq: number;
}

export class Dispatch {
  /** By priority, highest first. */
  private readonly ready = new Map<number, FairOrder>();
  /** Executions whose jobs no currently asking worker can take. */
  private readonly unplaced = new Set<LiveExecution>();
  /** Executions that let others go first for a moment. */
  private readonly putOff = new Set<LiveExecution>();
  /** Leased but not yet started: they wait for the commit. */
  private readonly leased: Leased[] = [];

  /** What is ready would only wait for the starts of nested runs. When none waits any more, a commit is scheduled. */
  private isHeldUp = false;
  private readonly executor: Executor;
  /** True: nothing more is handed out. */
  isClosed = false;

  constructor(private readonly parts: DispatchParts) {
    this.executor = parts.options.executor;
  }

  close(): void {
    this.isClosed = true;
  }

  add(execution: LiveExecution): void {
    const { priority } = execution.state;
    let turns = this.ready.get(priority);
    if (turns === undefined) {
      turns = new FairOrder();
      this.ready.set(priority, turns);
      this.sort();
    }
    turns.add(execution);
  }

  remove(execution: LiveExecution): void {
    this.unplaced.delete(execution);
    this.putOff.delete(execution);
    this.ready.get(execution.state.priority)?.delete(execution);
  }

  /** Other workers are asking now: what was left over is tried again. */
  retry(): void {
    for (const execution of this.unplaced) this.add(execution);
    this.unplaced.clear();
  }

  get hasWork(): boolean {
    for (const turns of this.ready.values()) if (!turns.isEmpty) return true;
    return false;
  }

  get canLease(): boolean {
    return !this.isClosed && !this.isHeldUp && this.hasWork && this.executor.freeSlots() > 0;
  }

  get hasLeased(): boolean {
    return this.leased.length > 0;
  }

  /** Everything that waits for a worker, longest first within each priority, and then what lets others go first. */
  *waiting(): Iterable<LiveExecution> {
    for (const turns of this.ready.values())
      for (const execution of turns) if (!this.putOff.has(execution)) yield execution;
    yield* this.unplaced;
    yield* this.putOff;
  }

  /** True: it waits for other runs, not for a worker. */
  letsOthersGoFirst(execution: LiveExecution): boolean {
    return this.putOff.has(execution);
  }

  /** A job that begins with an effect waits for the commit; a job that only computes starts at once. True: one did. */
  leaseAll(): boolean {
    if (this.isClosed) return false;
    const startedPure = this.leaseReady();
    if (this.hasWork || this.unplaced.size > 0) this.parts.options.onLeftOver?.();
    return startedPure;
  }

  private leaseReady(): boolean {
    let startedPure = false;
    let tried = 0;
    this.isHeldUp = false;
    let passed: LiveExecution[] = [];
    for (const turns of this.ready.values()) {
      turns.newRound();
      for (let execution = turns.next(); execution; execution = turns.next()) {
        const isEnough = tried >= LEASED_BESIDE_OTHERS && turns.isRoundOver && this.parts.live.size > 1;
        if (isEnough || this.executor.freeSlots() <= 0 || tried >= LEASED_AT_ONCE) {
          turns.endTurn();
          return startedPure;
        }
        if (this.isPutOff(execution)) {
          turns.delete(execution);
        } else if (this.wouldWait(execution, turns)) {
          turns.pass(execution);
          if (passed.push(execution) > turns.runs + PASSED_OVER) break;
        } else {
          tried += 1;
          startedPure = this.leaseOne(execution, turns) || startedPure;
          passed = [];
        }
      }
    }
    this.isHeldUp = passed.length > 0 && passed.every(({ root }) => this.parts.family.startsWait(root));
    return startedPure;
  }

  private isPutOff(execution: LiveExecution): boolean {
    if (this.putOff.has(execution)) return true;
    if (this.parts.longTurns.isEmpty) return false;
    const later = () => {
      if (!this.putOff.delete(execution)) return;
      this.add(execution);
      this.parts.commit.schedule();
    };
    if (!this.parts.longTurns.putOff(execution.root, later)) return false;
    this.putOff.add(execution);
    return true;
  }

  /**
   * Beside others, few nested runs of a run begin at once (fair-starts.ts), and a job that waits for that occupies a
   * slot, because slots bound how many such calls a worker has open. So such jobs are leased only in the run's first
   * turn, and not at all while earlier ones wait.
   */
  private wouldWait({ root, state }: LiveExecution, turns: FairOrder): boolean {
    const { bounds, family } = this.parts;
    const [first] = state.ready;
    if (first === undefined || !callingSteps(state.plan).has(jobOf(state, first).step)) return false;
    return bounds.hasOthers(root) && (turns.hadTurn(root) || family.startsWait(root));
  }

  /** A lease that is in the log belongs to its worker, even if another server has written to the execution since. */
  startLeased(): void {
    for (const { execution, assignment, worker, seq } of this.leased.splice(0)) {
      if (execution.durable >= seq) this.executor.execute(assignment, worker, this.parts.port);
      else this.executor.unplace(worker);
    }
  }

  private leaseOne(execution: LiveExecution, turns: FairOrder): boolean {
    const { executor } = this;
    const { state } = execution;
    let worker: string | undefined;
    const { execution_id, plan } = state;
    const canRun = (step: Step, home: string | undefined) => {
      worker = executor.place({ execution_id, plan, step, home });
      return worker !== undefined;
    };
    const jobId = nextReady(state, canRun);
    if (jobId === undefined || worker === undefined) {
      turns.delete(execution);
      if (state.ready.size > 0 && state.status === 'running') this.unplaced.add(execution);
      return false;
    }
    execution.unplacedSince = undefined;
    const assignment = this.parts.decisions.lease(execution, jobId, worker);
    if (assignment === undefined) {
      executor.unplace(worker);
      turns.delete(execution);
      return false;
    }
    turns.gave(execution);
    const pure = executor.startsPure(assignment);
    if (pure) executor.execute(assignment, worker, this.parts.port);
    else this.leased.push({ execution, assignment, worker, seq: state.seq });
    return pure;
  }

  private sort(): void {
    const sorted = [...this.ready].sort(([a], [b]) => b - a);
    this.ready.clear();
    for (const [priority, turns] of sorted) this.ready.set(priority, turns);
  }
}
