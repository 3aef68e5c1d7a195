/**
 * What the worker of this process says about its jobs; workers of other processes speak through leases.ts.
 *
 * Owns: when a job may continue. Does not own: what a report means (net), when it is durable (group-commit.ts).
 */
import type {
  Assignment,
  ChildAnswer,
  ChildRequest,
  Command,
  JobPort,
  JobReport,
  Json,
  Reference,
} from '@woof/net';
import type { Values } from '@woof/stores';
import type { Decisions } from './decisions.ts';
import type { HeldJob } from './engine-options.ts';
import type { Failures } from './failures.ts';
import type { Family } from './family.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Held, LiveExecution } from './live-execution.ts';
import type { LongTurns } from './long-turns.ts';

export interface LocalPortParts {
  readonly host: JobPort['host'];
  readonly live: ReadonlyMap<string, LiveExecution>;
  readonly values: Values;
  readonly commit: Pick<GroupCommit, 'saved'>;
  readonly decisions: Pick<Decisions, 'turn'>;
  readonly failures: Pick<Failures, 'fault'>;
  readonly family: Pick<Family, 'cancelChild' | 'child'>;
  readonly longTurns: Pick<LongTurns, 'task'>;
}

export class LocalPort implements JobPort {
  readonly host: JobPort['host'];

  constructor(private readonly parts: LocalPortParts) {
    this.host = parts.host;
  }

  lacks(): boolean {
    return this.parts.values.hasMissing;
  }

  bring(): Promise<void> {
    return this.parts.values.bring();
  }

  offload(value: Json, inlineMaxBytes?: number): Json {
    return this.parts.values.offload(value, inlineMaxBytes);
  }

  offloadAll(values: readonly Json[]): Json[] {
    return this.parts.values.offloadAll(values);
  }

  atHand(reference: Reference): Json | undefined {
    return this.parts.values.atHand(reference);
  }

  started(assignment: Assignment, report: JobReport): void {
    const execution = this.parts.live.get(assignment.execution_id);
    if (execution && !this.hasFailed) this.parts.decisions.turn(execution, reportOf(assignment, [report]));
  }

  report(assignment: Assignment, reports: JobReport[]): boolean {
    const execution = this.parts.live.get(assignment.execution_id);
    if (execution === undefined || this.hasFailed) return false;
    const { refusal } = this.parts.decisions.turn(execution, reportOf(assignment, reports));
    const held = this.heldBy(assignment);
    if (held) held.ledBy = execution.state.seq;
    return refusal === undefined && held !== undefined;
  }

  async durable(assignment: Assignment): Promise<boolean> {
    if (!this.isDurable(assignment)) await this.parts.commit.saved();
    const execution = this.parts.live.get(assignment.execution_id);
    if (execution?.state.status === 'paused' && this.heldBy(assignment)) {
      const reason = 'the run is paused';
      this.parts.decisions.turn(execution, reportOf(assignment, [{ type: 'released', reason }]));
    }
    return this.heldBy(assignment) !== undefined;
  }

  took({ execution_id: id }: Pick<Assignment, 'execution_id'>, ms: number): Promise<void> | undefined {
    return this.parts.longTurns.task(id, ms);
  }

  child(assignment: Assignment, request: ChildRequest): Promise<ChildAnswer> {
    return this.parts.family.child(assignment, request);
  }

  cancelChild(executionId: string, reason: string): Promise<void> {
    return this.parts.family.cancelChild(executionId, reason);
  }

  /** True: nothing more is decided. */
  private get hasFailed(): boolean {
    return this.parts.failures.fault !== undefined;
  }

  /** What other jobs did since this one was leased, or last reported, did not lead to it: it does not see that. */
  private isDurable(assignment: Assignment): boolean {
    const execution = this.parts.live.get(assignment.execution_id);
    const held = this.heldBy(assignment);
    if (this.hasFailed || execution === undefined || held === undefined) return false;
    return execution.durable >= held.ledBy;
  }

  private heldBy({ execution_id, job_id, fence }: HeldJob): Held | undefined {
    const held = this.parts.live.get(execution_id)?.held.get(job_id);
    return held?.fence === fence ? held : undefined;
  }
}

export function reportOf({ job_id, fence }: HeldJob, reports: JobReport[]): Command {
  return { type: 'ReportJob', job_id, fence, reports };
}
