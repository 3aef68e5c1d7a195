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
import { definitionsOf, type Parked } from '@woof/tools';
import type { Announced, Announcements } from './announcements.ts';
import { delay } from './delay.ts';
import { directiveInLog, outcomeInLog } from './in-log.ts';
import type { Keychain } from './keychain/keychain.ts';
import { schemaOf } from './own-kinds.ts';
import { perform } from './perform.ts';
import type { JobOfTask, Performance, PerformOptions } from './performance.ts';
import { JobStores, storedFailure, withStores } from './result-store/job-stores.ts';
import { settledInput } from './task-input.ts';
import { withValues } from './with-values.ts';

/** How many tasks that only compute may run in a row, and for how long, before the job yields to others. */
const LONGEST_PURE_RUN = 64;
const LONGEST_PURE_MS = 10;

/** A longer delay parks the job, so that it does not occupy a slot. */
const LONGEST_HELD_DELAY_MS = 30_000;

type Stop = (reason: unknown) => void;

interface TaskRun {
  label: string;
  task_run_id: string;
  attempt: number;
}

export class Job implements JobOfTask, Announced {
  private readonly pipeline: Pipeline;
  private args: JsonObject;
  private world: Assignment['world'];
  private aborted: string | undefined;
  private controller: AbortController | undefined;
  private stops: readonly Stop[] = [];
  private pureRun = 0;
  /** How long they kept the thread. */
  private pureMs = 0;
  /** Resolves when the next task may begin, because the last one kept the thread for long. */
  private othersFirst: Promise<void> | undefined;
  private unreported: JobReport | undefined;
  private keychain: Keychain | undefined;
  private readonly port: JobPort;
  /** Set if the plan names its own stores for results. */
  private readonly stores: JobStores | undefined;
  /** Where the result of the current task is stored, if it is in such a store. */
  private keptAt: Reference | undefined;

  constructor(
    private readonly assignment: Assignment,
    port: JobPort,
    private readonly options: PerformOptions,
    private readonly announcements: Announcements,
  ) {
    this.pipeline = assignment.pipeline;
    this.args = assignment.args;
    this.world = assignment.world;
    this.stores = this.storesOf(assignment);
    this.port = this.stores ? withStores(port, this.stores) : port;
  }

  private storesOf({ plan, source, granted }: Assignment): JobStores | undefined {
    const { resultStores: stores } = this.options;
    if (stores === undefined || definitionsOf(plan).length === 0) return undefined;
    const workdir = String(source.folder ?? '.');
    return new JobStores({
      stores,
      plan,
      workdir,
      granted,
      valueBytes: this.options.valueBytes,
      render: (definition) => this.unlocked(definition),
    });
  }

  /** Renders a definition whose templates may read the keychain. */
  private async unlocked(definition: JsonObject): Promise<JsonObject> {
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
    const why =
      error instanceof RenderError
        ? { status: 'error' as const, error: error.toError() }
        : (storedFailure(error) ?? failure('unknown', `the task could not be run: ${error.message}`));
    const outcome = this.hidden(why);
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
    if (this.othersFirst) await this.letOthersGoFirst(this.othersFirst);
    if (this.aborted !== undefined) return false;
    const locals = this.locals(task);
    const site = this.site(task, locals);
    const skip = task.rules && (await withValues(this.port, () => judgeBefore(task, site)));
    if (!skip && !(this.mayRunAhead(task) || (await this.port.durable(this.assignment)))) return false;
    if (skip) return this.done(task, run, { status: 'ok', result: null }, skip, await this.shared(skip));
    if (pipeline.memo === null) this.announce(run);
    const started = this.port.host.now();
    const performance = this.performance(task, run, site, locals);
    const performing = perform(performance);
    this.keptThread(started);
    const given = this.hidden(await performing);
    const outcome = this.timed(this.stores ? await this.kept(task, given, this.stores) : given, started);
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

  /** Without a slot, and until the job is aborted at most. */
  private async letOthersGoFirst(wait: Promise<void>): Promise<void> {
    this.othersFirst = undefined;
    let end!: () => void;
    const waiting = () =>
      new Promise<void>((resolve) => {
        end = this.onStop(() => resolve());
        void wait.then(resolve);
      });
    await (this.options.aside?.(waiting) ?? waiting());
    end();
  }

  private judged(task: Task, outcome: Outcome, locals: Locals): Directive | Promise<Directive> {
    const since = this.port.host.now();
    const site = this.site(task, locals);
    const judging = withValues(this.port, () => judge(task, outcome, this.pipeline, site));
    this.keptThread(since);
    return judging;
  }

  /**
   * True: the task only computes, and such tasks have not run for long. Any other task waits until everything before it
   * is durable.
   */
  private mayRunAhead(task: Task): boolean {
    const isShort = ++this.pureRun < LONGEST_PURE_RUN && this.pureMs < LONGEST_PURE_MS;
    if (isShort && isPure(task, this.options.tools)) return true;
    this.pureRun = 0;
    this.pureMs = 0;
    return false;
  }

  /** The job rendered, judged or encoded since then, without waiting for anything. */
  private keptThread(since: number): void {
    const ms = this.port.host.now() - since;
    if (ms <= 0) return;
    this.pureMs += ms;
    this.othersFirst = this.port.took?.(this.assignment, ms) ?? this.othersFirst;
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

  /**
   * Stores the result where the document wants it, before the outcome is judged: a failure to store it is an outcome
   * too.
   */
  private async kept(task: Task, outcome: Outcome | Parked, stores: JobStores): Promise<Outcome | Parked> {
    this.keptAt = undefined;
    if (outcome.status !== 'ok') return outcome;
    try {
      this.keptAt = await stores.keep(outcome.result);
      return outcome;
    } catch (error) {
      const { error: why } = storedFailure(error) ?? failure('storage', (error as Error).message);
      const message = `the result of task "${task.label}" cannot be stored: ${why!.message}`;
      return this.hidden({ status: 'error', error: { ...why!, message } });
    }
  }

  /** Nothing that a task returns may contain a secret, because from here on it is judged, reported and stored. */
  private hidden<T extends Outcome | Parked>(outcome: T): T {
    if (this.keychain === undefined || this.keychain.redactor.hidesNothing) return outcome;
    return this.keychain.redactor.json(outcome as unknown as Json) as unknown as T;
  }

  private timed(outcome: Outcome | Parked, started: number): Outcome | Parked {
    if (outcome.status === 'parked') return outcome;
    const duration_ms = this.port.host.now() - started;
    const meta: JsonObject = { attempt: this.pipeline.attempt + 1, duration_ms, ts: isoTime(started) };
    if (outcome.meta) return { ...outcome, meta: { ...outcome.meta, ...meta } };
    // V8 takes half a microsecond to add a key to a spread copy, and almost none to do it this way.
    return Object.assign({ status: outcome.status }, outcome, { meta });
  }

  private done(
    task: Task,
    run: TaskRun,
    outcome: Outcome,
    chosen: Directive,
    shared: JsonObject | undefined,
  ): boolean {
    const since = this.port.host.now();
    const { reported, fault } = outcomeInLog(task, outcome, this.keptAt, this.port);
    const directive = fault ? { do: 'fail' as const } : directiveInLog(chosen, this.port);
    const now = this.port.host.now();
    const started = this.takeUnreported();
    const { label, task_run_id, attempt } = run;
    const done: JobReport = { type: 'done', label, task_run_id, attempt, outcome: reported, directive };
    const reports = started ? [started, done] : [done];
    const parks = directive.do === 'retry' && (directive.delay_ms ?? 0) > LONGEST_HELD_DELAY_MS;
    if (parks) reports.push({ type: 'parked', until: now + directive.delay_ms! });
    const atHand = fault ? directive : chosen;
    applyOutcome(this.pipeline, this.assignment.step.tasks, fault ?? outcome, atHand, now);
    if (!fault) this.patchWorld(chosen.set_ctx, shared);
    this.keptThread(since);
    return this.port.report(this.assignment, reports) && !parks;
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

let lastTime = 0;
let lastText = new Date(0).toISOString();

/** Many tasks end within one millisecond, and formatting a time costs more than some of them. */
function isoTime(ms: number): string {
  if (ms !== lastTime) {
    lastTime = ms;
    lastText = new Date(ms).toISOString();
  }
  return lastText;
}

/** True: the task may start before everything that led to it is durable. */
export function isPure(task: Task | undefined, tools: PerformOptions['tools']): boolean {
  if (task === undefined || task.spec.limit !== undefined) return false;
  return schemaOf(task.kind, tools)?.pure === true;
}
