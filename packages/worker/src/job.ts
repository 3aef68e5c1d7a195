/**
 * One job: the tasks of a pipeline, one after the other. Each task is reported before the next begins, and durable
 * before the next effect.
 *
 * Owns: the order of effects (outcome → directive → report → durable → next effect), retry delays, loaded values.
 * Does not own: what a directive does to the pipeline (net), how a tool works (tools), who may run the job (the lease).
 */
import {
  type Assignment,
  applyOutcome,
  type Directive,
  failure,
  foldableShared,
  type JobPort,
  type JobReport,
  type Json,
  type JsonObject,
  judge,
  judgeBefore,
  type Locals,
  type Outcome,
  ownArgs,
  type Pipeline,
  patchShared,
  type Reference,
  RenderError,
  renderObject,
  type Site,
  StepScope,
  type Task,
  taskLocals,
  taskRunId,
  taskSite,
} from '@woof/net';
import type { Parked } from '@woof/tools';
import type { Announced, Announcements } from './announcements.ts';
import { delay } from './delay.ts';
import { directiveAtHand, directiveInLog, outcomeInLog, withGrownLists } from './in-log.ts';
import type { Keychain } from './keychain/keychain.ts';
import { keptThread, letOthersGoFirst, mayRunAhead, type Pace } from './pace.ts';
import { perform } from './perform.ts';
import type { JobOfTask, Performance, PerformOptions } from './performance.ts';
import { type JobStores, storedFailure, storesOf, withStores } from './result-store/job-stores.ts';
import { settledInput } from './task-input.ts';
import { timed } from './timed.ts';
import { withValues } from './with-values.ts';

/** A longer delay parks the job, so that it does not occupy a slot. */
const LONGEST_HELD_DELAY_MS = 30_000;

type Stop = (reason: unknown) => void;

interface TaskRun {
  label: string;
  task_run_id: string;
  attempt: number;
}

export class Job implements JobOfTask, Announced, Pace {
  pureRun = 0;
  pureMs = 0;
  othersFirst: Promise<void> | undefined;
  private readonly pipeline: Pipeline;
  private args: JsonObject;
  private world: Assignment['world'];
  private aborted: string | undefined;
  private controller: AbortController | undefined;
  private stops: readonly Stop[] = [];
  private unreported: JobReport | undefined;
  private keychain: Keychain | undefined;
  private readonly port: JobPort;
  /** Set if the plan names its own stores for results. */
  private readonly stores: JobStores | undefined;

  constructor(
    private readonly assignment: Assignment,
    port: JobPort,
    private readonly options: PerformOptions,
    private readonly announcements: Announcements,
  ) {
    this.pipeline = assignment.pipeline;
    this.args = assignment.args;
    this.world = assignment.world;
    this.stores = storesOf(assignment, options, this);
    this.port = this.stores ? withStores(port, this.stores) : port;
  }

  /** Renders a definition whose templates may read the keychain. */
  async unlocked(definition: JsonObject): Promise<JsonObject> {
    const keychain = (this.keychain ?? (await this.unlock()))?.values;
    const world = keychain ? { ...this.world, keychain } : this.world;
    const { tasks } = this.assignment.step;
    const task = tasks[this.pipeline.pc] ?? tasks[0]!;
    const locals = this.locals(task);
    const site = { ...this.site(task, locals), scope: new StepScope(world, locals) };
    const rendered = await withValues(this.port, () =>
      settledInput(renderObject(definition, site, ''), {}, this.port.host),
    );
    return this.keychain?.withCredentials(rendered, definition) ?? rendered;
  }

  abort(reason: string): void {
    this.aborted = reason;
    this.controller?.abort(reason);
    for (const stop of this.stops) stop(reason);
  }

  onStop(stop: Stop): () => void {
    if (this.aborted !== undefined) stop(this.aborted);
    this.stops = [...this.stops, stop];
    return () => {
      this.stops = this.stops.filter((other) => other !== stop);
    };
  }

  async unlock(): Promise<Keychain | undefined> {
    this.keychain = await this.options.keychains?.of(this.assignment, this.port);
    return this.keychain;
  }

  /** Created when a tool first asks for it: most tasks end before anybody could abort them. */
  signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.aborted !== undefined) this.controller.abort(this.aborted);
    return this.controller.signal;
  }

  /** An internal error fails the task, so that nothing waits forever for a job that nobody runs. */
  broken(error: Error): void {
    const task = this.assignment.step.tasks[this.pipeline.pc];
    if (task === undefined || this.aborted !== undefined) return;
    const { job_id: jobId } = this.assignment;
    const run = { label: task.label, task_run_id: taskRunId(jobId, this.pipeline, task.label) };
    const outcome = this.hidden(outcomeOf(error));
    const attempt = this.pipeline.attempt + 1;
    const done: JobReport = { type: 'done', ...run, attempt, outcome, directive: { do: 'fail' } };
    const started = this.takeUnreported();
    this.port.report(this.assignment, started ? [started, done] : [done]);
  }

  async run(): Promise<void> {
    const { tasks } = this.assignment.step;
    try {
      const { step, iteration } = this.assignment;
      if (step.args && iteration) await this.takeOwnArgs();
      while (this.pipeline.status === 'running' && this.aborted === undefined) {
        if (this.pipeline.notBefore > 0) await this.delay(this.pipeline.notBefore);
        if (this.aborted !== undefined) return;
        if (!(await this.runTask(tasks[this.pipeline.pc]!))) return;
      }
    } finally {
      this.stores?.release();
    }
  }

  /** False: the job no longer belongs to this worker, or it parked. */
  private async runTask(task: Task): Promise<boolean> {
    const { pipeline } = this;
    const run: TaskRun = {
      label: task.label,
      task_run_id: taskRunId(this.assignment.job_id, pipeline, task.label),
      attempt: pipeline.attempt + 1,
    };
    if (this.othersFirst) await letOthersGoFirst(this, this.othersFirst, this.options.aside);
    if (this.aborted !== undefined) return false;
    const locals = this.locals(task);
    const site = this.site(task, locals);
    const skip = task.rules && (await withValues(this.port, () => judgeBefore(task, site)));
    if (!skip && !(mayRunAhead(this, task, this.options.tools) || (await this.port.durable(this.assignment))))
      return false;
    if (skip) return this.done(task, run, { status: 'ok', result: null }, skip, await this.shared(skip));
    if (pipeline.memo === null) this.announce(run);
    const started = this.port.host.now();
    const performance = this.performance(task, run, site, locals);
    const performing = perform(performance);
    this.keptThread(started);
    const given = this.hidden(await performing);
    const refused = this.stores && (await this.stores.keep(task, given));
    const outcome = timed(refused ? this.hidden(refused) : given, run.attempt, started, this.port.host.now());
    if (this.aborted !== undefined) {
      this.takeUnreported();
      return false;
    }
    if (outcome.status === 'parked') return this.park(outcome);
    const judging = task.rules
      ? this.judged(task, outcome, { ...locals, outcome })
      : judge(task, outcome, pipeline, site);
    const directive = judging instanceof Promise ? await judging : judging;
    const shared = directive.set_shared && (await this.shared(directive));
    return this.done(task, run, outcome, directive, shared);
  }

  private judged(task: Task, outcome: Outcome, locals: Locals): Directive | Promise<Directive> {
    const since = this.port.host.now();
    const site = this.site(task, locals);
    const judging = withValues(this.port, () => judge(task, outcome, this.pipeline, site));
    this.keptThread(since);
    return judging;
  }

  private keptThread(since: number): void {
    keptThread(this, this.port, this.assignment, since);
  }

  /**
   * The start is reported a moment later. If the task has ended by then, its outcome carries the start: one report, one
   * commit.
   */
  private announce({ label, task_run_id, attempt }: TaskRun): void {
    this.unreported = { type: 'started', label, task_run_id, attempt };
    this.announcements.add(this);
  }

  tellStarted(): void {
    const started = this.takeUnreported();
    if (started) this.port.started(this.assignment, started);
  }

  private takeUnreported(): JobReport | undefined {
    const started = this.unreported;
    if (started) this.announcements.remove(this);
    this.unreported = undefined;
    return started;
  }

  private performance(task: Task, run: TaskRun, site: Site, locals: Locals): Performance {
    const { assignment, world, pipeline, port, options } = this;
    const { task_run_id: taskRunId } = run;
    const performance: Performance = {
      task,
      taskRunId,
      site,
      locals,
      assignment,
      world,
      pipeline,
      port,
      job: this,
      options,
    };
    if (this.stores) performance.stores = this.stores;
    return performance;
  }

  /** Nothing that a task returns may contain a secret, because from here on it is judged, reported and stored. */
  private hidden<T extends Outcome | Parked>(outcome: T): T {
    if (this.keychain === undefined || this.keychain.redactor.hidesNothing) return outcome;
    return this.keychain.redactor.json(outcome as unknown as Json) as unknown as T;
  }

  private done(
    task: Task,
    run: TaskRun,
    outcome: Outcome,
    chosen: Directive,
    shared: JsonObject | undefined,
  ): boolean {
    const since = this.port.host.now();
    const { reported, fault } = outcomeInLog(task, outcome, this.stores?.keptAt, this.port);
    const grown = fault ? { do: 'fail' as const } : this.grown(chosen);
    const directive = fault ? grown : directiveInLog(grown, this.port);
    const now = this.port.host.now();
    const started = this.takeUnreported();
    const { label, task_run_id, attempt } = run;
    const done: JobReport = { type: 'done', label, task_run_id, attempt, outcome: reported, directive };
    const reports = started ? [started, done] : [done];
    const parks = directive.do === 'retry' && (directive.delay_ms ?? 0) > LONGEST_HELD_DELAY_MS;
    if (parks) reports.push({ type: 'parked', until: now + directive.delay_ms! });
    const atHand = directiveAtHand(grown, directive);
    applyOutcome(this.pipeline, this.assignment.step.tasks, fault ?? outcome, atHand, now);
    if (!fault) this.patchWorld(atHand.set_ctx, shared);
    this.keptThread(since);
    return this.port.report(this.assignment, reports) && !parks;
  }

  private grown(chosen: Directive): Directive {
    const { iter, vars } = this.pipeline;
    const before = { set_iter: iter, set_vars: vars, set_ctx: this.world.ctx };
    return withGrownLists(chosen, before, this.port);
  }

  /** This job sees its own writes at once; other jobs see them when they are durable. */
  private patchWorld(patch: JsonObject | undefined, shared: JsonObject | undefined): void {
    if (!patch && !shared) return;
    const { ctx } = this.world;
    this.world = { ...this.world, ctx: { ...ctx, ...patch, ...patchShared(ctx, shared) } };
  }

  /** The shared values as they apply to the ctx that this job sees. */
  private async shared({ set_shared }: Directive): Promise<JsonObject | undefined> {
    if (set_shared === undefined) return undefined;
    const { host } = this.port;
    const resolve = (reference: Reference) => host.load?.(reference) as Json;
    const offload = (value: Json) => value;
    return withValues(this.port, () =>
      foldableShared(set_shared, this.world.ctx, { resolve, offload, host }),
    );
  }

  private park(parked: Parked): false {
    const { status: _, ...rest } = parked;
    const started = this.takeUnreported();
    const report: JobReport = { type: 'parked', ...rest };
    this.port.report(this.assignment, started ? [started, report] : [report]);
    return false;
  }

  private async delay(until: number): Promise<void> {
    const signal = this.signal();
    const left = until - this.port.host.now();
    if (left > 0) await delay(left, signal);
  }

  private site(task: Task, locals: Locals): Site {
    return taskSite(this.assignment, this.world, locals, task, this.port.host);
  }

  private locals(task: Task): Locals {
    return taskLocals(this.assignment, this.pipeline, this.args, task);
  }

  private async takeOwnArgs(): Promise<void> {
    this.args = (await withValues(this.port, () => ownArgs(this.assignment, this.port.host))) ?? this.args;
  }
}

function outcomeOf(error: Error): Outcome {
  if (error instanceof RenderError) return { status: 'error', error: error.toError() };
  return storedFailure(error) ?? failure('unknown', `the task could not be run: ${error.message}`);
}
