/**
 * What the worker of this process says about its jobs; workers of other processes speak through leases.ts.
 *
 * Owns: when a job may go on. Does not own: what a report means (net), when it is durable (group-commit.ts).
 */
import type {
  Assignment,
  ChildAnswer,
  ChildRequest,
  Command,
  JobPort,
  JobReport,
  Json,
  Turn,
} from '@woof/net';
import type { Values } from '@woof/stores';
import type { HeldJob } from './engine-options.ts';
import type { Held, LiveExecution } from './live-execution.ts';

export interface LocalPortHooks {
  host: JobPort['host'];
  live: ReadonlyMap<string, LiveExecution>;
  values: Values;
  /** Nothing more is decided. */
  hasFailed(): boolean;
  turn(execution: LiveExecution, command: Command): Turn;
  /** Resolves when all that was decided so far is in the store, or lost. */
  saved(): Promise<void>;
  child(assignment: Assignment, request: ChildRequest): Promise<ChildAnswer>;
  cancelChild(executionId: string, reason: string): Promise<void>;
}

export class LocalPort implements JobPort {
  readonly host: JobPort['host'];

  constructor(private readonly hooks: LocalPortHooks) {
    this.host = hooks.host;
  }

  lacks(): boolean {
    return this.hooks.values.hasMissing;
  }

  bring(): Promise<void> {
    return this.hooks.values.bring();
  }

  offload(value: Json, inlineMaxBytes?: number): Json {
    return this.hooks.values.offload(value, inlineMaxBytes);
  }

  started(assignment: Assignment, report: JobReport): void {
    const execution = this.hooks.live.get(assignment.execution_id);
    if (execution && !this.hooks.hasFailed()) this.hooks.turn(execution, reportOf(assignment, [report]));
  }

  report(assignment: Assignment, reports: JobReport[]): boolean {
    const execution = this.hooks.live.get(assignment.execution_id);
    if (execution === undefined || this.hooks.hasFailed()) return false;
    const { refusal } = this.hooks.turn(execution, reportOf(assignment, reports));
    const held = this.heldBy(assignment);
    if (held) held.ledBy = execution.state.seq;
    return refusal === undefined && held !== undefined;
  }

  async durable(assignment: Assignment): Promise<boolean> {
    if (!this.isDurable(assignment)) await this.hooks.saved();
    const execution = this.hooks.live.get(assignment.execution_id);
    if (execution?.state.status === 'paused' && this.heldBy(assignment)) {
      const reason = 'the run is paused';
      this.hooks.turn(execution, reportOf(assignment, [{ type: 'released', reason }]));
    }
    return this.heldBy(assignment) !== undefined;
  }

  child(assignment: Assignment, request: ChildRequest): Promise<ChildAnswer> {
    return this.hooks.child(assignment, request);
  }

  cancelChild(executionId: string, reason: string): Promise<void> {
    return this.hooks.cancelChild(executionId, reason);
  }

  /** What other jobs did since this one was given, or last reported, did not lead to it: it does not see it. */
  private isDurable(assignment: Assignment): boolean {
    const execution = this.hooks.live.get(assignment.execution_id);
    const held = this.heldBy(assignment);
    if (this.hooks.hasFailed() || execution === undefined || held === undefined) return false;
    return execution.durable >= held.ledBy;
  }

  private heldBy({ execution_id, job_id, fence }: HeldJob): Held | undefined {
    const held = this.hooks.live.get(execution_id)?.held.get(job_id);
    return held?.fence === fence ? held : undefined;
  }
}

export function reportOf({ job_id, fence }: HeldJob, reports: JobReport[]): Command {
  return { type: 'ReportJob', job_id, fence, reports };
}
