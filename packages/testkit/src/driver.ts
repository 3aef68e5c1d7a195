/**
 * Drives the pure core without an engine: commands in, events out, time by hand.
 * Every event is kept, so that a test can fold them again and compare.
 */
import {
  type Command,
  DEFAULT_LIMITS,
  type Directive,
  decodeJson,
  type Env,
  type Event,
  emptyState,
  encodeJson,
  evolve,
  failure,
  fromSnapshot,
  type Json,
  type JsonObject,
  type Limits,
  loopSummary,
  type Outcome,
  outstanding,
  type PageSize,
  type Plan,
  type State,
  taskRunId,
  toSnapshot,
  turn,
} from '@woof/net';

export class Driver {
  state: State;
  readonly events: Event[] = [];
  now = 1_000;
  /** False: the test itself says when the results of a long loop are one value. */
  endsLoops = true;

  constructor(
    readonly plan: Plan,
    workload: JsonObject = plan.workload,
    private readonly bounds: { limits?: Partial<Limits>; page?: PageSize } = {},
  ) {
    this.state = emptyState('test', plan);
    this.do({ type: 'StartExecution', plan_hash: 'hash', workload });
  }

  do(command: Command): Event[] {
    const result = turn(this.state, command, this.env());
    if (result.refusal) throw new Error(`refused: ${result.refusal}`);
    this.events.push(...result.events);
    if (result.unsettled) return [...result.events, ...this.do({ type: 'SettleExecution' })];
    return [...result.events, ...this.endLoops()];
  }

  /** As the engine does: all results of a long loop become one value. */
  private endLoops(): Event[] {
    const [first] = this.endsLoops ? outstanding(this.state).collected : [];
    if (first === undefined) return [];
    const { loop_id } = first;
    const loop = this.state.loops.get(loop_id)!;
    const result = { results: loop.stored.pages.flat(), ...loopSummary(loop) };
    return this.do({ type: 'EndLoop', loop_id, result });
  }

  refusal(command: Command): string | undefined {
    return turn(this.state, command, this.env()).refusal;
  }

  lease(jobId: string): number {
    this.do({ type: 'LeaseJob', job_id: jobId, worker: 'w' });
    return this.state.jobs.get(jobId)!.fence;
  }

  /** Leases the job if it is ready, and reports its current task. */
  finish(jobId: string, outcome: Outcome, directive?: Directive): Event[] {
    const job = this.state.jobs.get(jobId);
    if (job === undefined) throw new Error(`no job ${jobId}; live: ${[...this.state.jobs.keys()]}`);
    const fence = job.status === 'ready' ? this.lease(jobId) : job.fence;
    const step = this.plan.steps.find((candidate) => candidate.name === job.step)!;
    const { label } = step.tasks[job.pipeline.pc]!;
    const fallback: Directive = { do: outcome.status === 'ok' ? 'continue' : 'fail' };
    const run = {
      label,
      task_run_id: taskRunId(jobId, job.pipeline, label),
      attempt: job.pipeline.attempt + 1,
    };
    const done = { type: 'done', ...run, outcome, directive: directive ?? fallback } as const;
    return this.do({ type: 'ReportJob', job_id: jobId, fence, reports: [done] });
  }

  ok(jobId: string, result: Json = null, directive?: Directive): Event[] {
    return this.finish(jobId, { status: 'ok', result }, directive);
  }

  fail(jobId: string, message = 'boom'): Event[] {
    return this.finish(jobId, failure('unknown', message));
  }

  ready(): string[] {
    return [...this.state.ready];
  }

  /** Finishes whatever is live, oldest first, until the net is at rest. */
  runAll(result: (jobId: string) => Json = () => null): this {
    for (;;) {
      const [jobId] = this.state.jobs.keys();
      if (jobId === undefined) return this;
      this.ok(jobId, result(jobId));
    }
  }

  /** As if a process started from a snapshot of the current state. */
  restart(): this {
    this.state = fromSnapshot(decodeJson(encodeJson(toSnapshot(this.state))), this.plan);
    this.do({ type: 'SettleExecution' });
    return this;
  }

  names(): string[] {
    return this.events.map((event) => event.name);
  }

  env(): Env {
    const { page } = this.bounds;
    const limits = { ...DEFAULT_LIMITS, ...this.bounds.limits };
    const host = { now: () => this.now };
    const same = (value: Json) => value;
    const stored = {
      resolve: () => null,
      atHand: () => undefined,
      lengthOf: () => undefined,
      itemOf: () => null,
    };
    const core = {
      now: this.now,
      host,
      offload: same,
      offloadAll: (values: readonly Json[]) => [...values],
      putAway: same,
      ...stored,
      limits,
    };
    return page ? { ...core, page } : core;
  }

  /** The state as another process would have it: folded from the log, in two parts with a snapshot between. */
  replayed(cut = 0): State {
    const wire = decodeJson(encodeJson(this.events)) as Event[];
    let state = emptyState('test', this.plan);
    for (const event of wire.slice(0, cut)) evolve(state, event);
    if (cut > 0) state = fromSnapshot(decodeJson(encodeJson(toSnapshot(state))), this.plan);
    for (const event of wire.slice(cut)) evolve(state, event);
    return state;
  }
}
