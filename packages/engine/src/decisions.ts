/**
 * Every decision on a live execution: command → turn of the net → events, which the next commit writes.
 *
 * Owns: which executions are live, and how each is decided on. Does not own: rules (net), when events become durable
 * (group-commit.ts), what follows then (after-commit.ts), what the store does not accept (failures.ts), whether others
 * write to the store (sharing/).
 * Invariants:
 * - States change only in `turn`, and nothing is decided after the store failed for good.
 * - What the log did not accept is forgotten: the execution is loaded again, and the command is decided again.
 */
import {
  type Assignment,
  type Command,
  type Env,
  isEnded,
  type Json,
  NO_LONGER_WANTED,
  type Refusal,
  type Turn,
  turn,
} from '@woof/net';
import type { Values } from '@woof/stores';
import { assign } from './assign.ts';
import type { Bounds } from './bounds.ts';
import type { Dispatch } from './dispatch.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Failures } from './failures.ts';
import type { FairTicks } from './fair-ticks.ts';
import type { Family } from './family.ts';
import type { GroupCommit } from './group-commit.ts';
import type { LiveExecution } from './live-execution.ts';
import type { LongTurns } from './long-turns.ts';
import { NotAtHand } from './not-at-hand.ts';
import type { Parking } from './parking.ts';
import type { Sharing } from './sharing/sharing.ts';

/** Limits on events are meant for short ones; what templates create counts as so many more. */
const PRODUCED_PER_EVENT = 8192;

export interface DecisionParts {
  readonly options: Pick<EngineOptions, 'executor'>;
  readonly now: () => number;
  readonly live: Map<string, LiveExecution>;
  readonly ticks: FairTicks;
  readonly bounds: Bounds;
  readonly longTurns: Pick<LongTurns, 'putOff' | 'took'>;
  readonly values: Values;
  readonly host: Env['host'];
  readonly commit: Pick<GroupCommit, 'add' | 'drop' | 'saved' | 'schedule'>;
  readonly dispatch: Pick<Dispatch, 'add' | 'remove'>;
  readonly failures: Pick<Failures, 'fault' | 'brokeOff' | 'forget'>;
  readonly family: Pick<Family, 'look'>;
  readonly parking: Pick<Parking, 'look'>;
  readonly sharing: Pick<Sharing, 'again' | 'isCurrent' | 'load' | 'notLeased' | 'rest'>;
}

export class Decisions {
  private readonly env: Env;

  constructor(private readonly parts: DecisionParts) {
    const { values, host, bounds } = parts;
    // What a decision stores reaches the store before its events do.
    const deciding = { ...host, store: (value: unknown) => values.putAway(value as Json) };
    this.env = { now: 0, host: deciding, ...values.access, limits: bounds.current };
  }

  // Which executions are live.

  enter(execution: LiveExecution): void {
    const { live, bounds } = this.parts;
    const before = live.get(execution.id);
    if (before) bounds.left(before);
    live.set(execution.id, execution);
    bounds.entered(execution);
  }

  /** Its phase says why. */
  letGo(execution: LiveExecution): void {
    const { live, bounds, dispatch, commit } = this.parts;
    if (live.get(execution.id) === execution) {
      live.delete(execution.id);
      bounds.left(execution);
    }
    dispatch.remove(execution);
    commit.drop(execution);
  }

  /** Offers the jobs that were ready when the execution was loaded; later ones are noted with their events. */
  offer(execution: LiveExecution): void {
    if (execution.state.ready.size === 0) return;
    this.parts.dispatch.add(execution);
    this.parts.commit.schedule();
  }

  // Decisions that somebody waits for.

  /**
   * Decides until the log has accepted the decision. A decision on a state that another server changed is made again.
   */
  async decide<T extends { refusal?: Refusal }>(
    executionId: string,
    decision: (execution: LiveExecution) => T,
  ): Promise<T | { refusal: Refusal }> {
    const { live, sharing } = this.parts;
    for (;;) {
      const execution = live.get(executionId) ?? (await sharing.load(executionId));
      if (execution === undefined) return { refusal: 'execution_ended' };
      const result = await this.attempt(() => decision(execution));
      if (result === undefined) continue;
      // A refusal, too, may depend on something that is not durable yet, or that another server has changed since.
      if ((await this.isSaved(execution)) && (!result.refusal || (await sharing.isCurrent(execution)))) {
        sharing.rest(execution);
        return result;
      }
      if (execution.lostBy !== undefined) throw execution.lostBy;
    }
  }

  /** Durable when it resolves. Returns the refusal, if any. */
  async command(executionId: string, command: Command): Promise<Refusal | undefined> {
    const { refusal } = await this.decide(executionId, (execution) => this.turn(execution, command));
    return refusal;
  }

  /** Takes over an execution that belongs to another server, and checks what it waits for. */
  async drive(executionId: string): Promise<void> {
    const { parking, family } = this.parts;
    let seen: LiveExecution | undefined;
    await this.decide(executionId, (execution) => {
      seen = execution;
      parking.look(execution);
      return {};
    });
    if (seen) await family.look(seen);
  }

  /** The same, retried until it succeeds: what became this server's must not be forgotten. */
  async driveSurely(executionId: string): Promise<void> {
    try {
      await this.drive(executionId);
    } catch (error) {
      this.parts.sharing.again(executionId, error);
    }
  }

  /** Undefined: a value was stored elsewhere. It is loaded now, and the execution must be loaded again. */
  async attempt<T>(decision: () => T): Promise<T | undefined> {
    try {
      return decision();
    } catch (error) {
      if (!(error instanceof NotAtHand)) throw error;
      await this.parts.values.bring(error.references);
      return undefined;
    }
  }

  async isSaved(execution: LiveExecution): Promise<boolean> {
    const { seq } = execution.state;
    await this.parts.commit.saved();
    return execution.durable >= seq;
  }

  // One decision.

  /** While consequences remain for the turn that settles them, other commands have no consequences of their own. */
  turn(execution: LiveExecution, command: Command): Turn {
    const { failures, now, bounds, longTurns, dispatch, commit } = this.parts;
    if (failures.fault !== undefined) throw failures.fault;
    this.env.now = now();
    bounds.share();
    const isPutOff = execution.unsettled && command.type !== 'SettleExecution';
    const result = this.decided(execution, command, isPutOff ? 0 : undefined);
    longTurns.took(execution.root, now() - this.env.now);
    if (result.refusal === undefined) execution.unsettled = result.unsettled;
    if (result.events.length === 0) return result;
    const { state } = execution;
    if (execution.note(result.events)) this.abortLost(execution);
    if (state.ready.size > 0 && state.status === 'running') dispatch.add(execution);
    if (result.unsettled && !isPutOff) this.settleSoon(execution);
    const weight = result.produced / PRODUCED_PER_EVENT;
    execution.eventsSinceLook += weight;
    commit.add(execution, result.events, weight);
    return result;
  }

  /** A turn that nobody waits for. What it could not do is done when the execution is loaded again. */
  guarded(execution: LiveExecution, command: Command): void {
    const isVoid = execution.phase.is === 'lost' || isEnded(execution.state);
    if (isVoid || this.parts.failures.fault !== undefined) return;
    try {
      this.turn(execution, command);
    } catch (error) {
      this.parts.sharing.again(execution.id, error);
    }
  }

  /** Undefined: the job could not be leased. */
  lease(execution: LiveExecution, jobId: string, worker: string): Assignment | undefined {
    try {
      this.turn(execution, { type: 'LeaseJob', job_id: jobId, worker });
      const assignment = assign(execution, jobId, this.env);
      if (execution.offered !== undefined) execution.withdraw();
      execution.held.set(jobId, { fence: assignment.fence, ledBy: execution.state.seq });
      return assignment;
    } catch (error) {
      this.parts.sharing.notLeased(execution, error);
      return undefined;
    }
  }

  /** A turn that breaks off leaves a state that the log does not have: nothing may be decided on it. */
  private decided(execution: LiveExecution, command: Command, mostEvents: number | undefined): Turn {
    const { values, failures } = this.parts;
    try {
      const result = turn(execution.state, command, this.env, mostEvents);
      if (!values.hasMissing) return result;
    } catch (error) {
      if (!values.hasMissing) {
        failures.brokeOff(execution, error);
        throw error;
      }
    }
    failures.forget(execution);
    throw new NotAtHand(values.takeMissing());
  }

  private settleSoon(execution: LiveExecution): void {
    const { ticks, longTurns } = this.parts;
    const soon = () => ticks.add(execution.root, () => this.settle(execution));
    if (!longTurns.putOff(execution.root, soon)) soon();
  }

  private settle(execution: LiveExecution): void {
    this.guarded(execution, { type: 'SettleExecution' });
  }

  /** Stops workers that lost their jobs. */
  private abortLost(execution: LiveExecution): void {
    for (const [jobId, { fence }] of execution.held) {
      const job = execution.state.jobs.get(jobId);
      if (job?.fence === fence && job.status === 'leased') continue;
      execution.held.delete(jobId);
      this.parts.options.executor.abort(execution.id, jobId, NO_LONGER_WANTED);
    }
  }
}
