/**
 * The ties between a playbook and those that it calls.
 *
 * Owns: starting and finding children, waking their callers. Does not own: what a command does (decisions.ts), who is
 * parked (parking.ts), ending those whose caller ended (orphans.ts).
 */
import {
  type Assignment,
  asData,
  type ChildAnswer,
  type ChildRequest,
  type Command,
  isEnded,
  type Job,
  outstanding,
  type Plan,
  questionsOf,
  type State,
} from '@woof/net';
import type { Bounds } from './bounds.ts';
import type { Decisions } from './decisions.ts';
import type { EngineOptions } from './engine-options.ts';
import { FairStarts } from './fair-starts.ts';
import { FairTicks } from './fair-ticks.ts';
import type { GroupCommit } from './group-commit.ts';
import { childId } from './ids.ts';
import { lineageOf } from './lineage.ts';
import type { LiveExecution } from './live-execution.ts';
import { NestedRuns } from './nested-runs.ts';
import { endedBy, type Orphans } from './orphans.ts';
import { originOf } from './replay.ts';
import type { Sharing } from './sharing/sharing.ts';
import type { Starts } from './starts.ts';

const MAX_NESTING = 32;
const LOOKED_AT_ONCE = 32;
/** Of the steps of a playbook, in a message. */
const MOST_NAMED = 10;

export interface FamilyParts {
  readonly options: Pick<EngineOptions, 'store' | 'resolve'>;
  readonly live: ReadonlyMap<string, LiveExecution>;
  readonly ticks: FairTicks;
  readonly bounds: Pick<Bounds, 'hasOthers' | 'limits'>;
  readonly commit: Pick<GroupCommit, 'roomFor' | 'schedule'>;
  readonly decisions: Pick<Decisions, 'command' | 'guarded'>;
  readonly sharing: Pick<Sharing, 'again' | 'find' | 'names' | 'send' | 'workloadFault'>;
  readonly starts: Pick<Starts, 'start'>;
  readonly orphans: Pick<Orphans, 'callerEnded' | 'endWithCaller'>;
}

/** What a nested run begins with. */
interface NewChild extends Pick<Assignment, 'granted'> {
  request: ChildRequest;
  source: LiveExecution['source'];
  parent: { execution_id: string; job_id: string; root: string; depth: number };
}

export class Family {
  private readonly nested: NestedRuns;
  /** Tasks wait for these, so they do not queue behind work that nobody waits for. */
  private readonly fairStarts: FairStarts;
  /** Nested runs that wait for their turn or for the log, by id. */
  private readonly beginning = new Map<string, Promise<ChildAnswer>>();

  constructor(private readonly parts: FamilyParts) {
    const isOver = async (id: string) => {
      const row = await parts.options.store.execution(id);
      return row?.ended_at !== undefined;
    };
    this.nested = new NestedRuns(parts.bounds.limits.nested_runs, isOver);
    const ticks = new FairTicks((root) => parts.commit.roomFor(root));
    this.fairStarts = new FairStarts(
      ticks,
      (root) => parts.bounds.hasOthers(root),
      () => parts.commit.schedule(),
    );
  }

  /** True if nested runs of the run wait for their turn to begin. The commit is scheduled when none does any more. */
  startsWait(root: string): boolean {
    return this.fairStarts.hasWaiting(root);
  }

  /** The child that a task asks for; started if it is new. */
  async child(
    assignment: Pick<Assignment, 'execution_id' | 'job_id' | 'granted'>,
    request: ChildRequest,
  ): Promise<ChildAnswer> {
    const { options, live, sharing } = this.parts;
    const { execution_id: caller, job_id, granted } = assignment;
    const { source, root, depth } = live.get(caller) ?? (await originOf(options.store, caller));
    if (depth > MAX_NESTING)
      return invalid(`the playbooks are nested more than ${MAX_NESTING} levels deep; does one call itself?`);
    const id = childId(caller, request.key);
    const known = live.get(id)?.state ?? (await sharing.find(id));
    if (known) return childAnswer(known, request.return_step);
    const parent = { execution_id: caller, job_id, root, depth: depth + 1 };
    return this.beginOnce(id, { request, source, granted, parent });
  }

  /** A worker whose call timed out asks again while the first call still waits for its turn. */
  private beginOnce(id: string, child: NewChild): Promise<ChildAnswer> {
    const known = this.beginning.get(id);
    if (known) return known;
    const { root } = child.parent;
    const begun = this.fairStarts
      .start(root, () => this.begin(id, child))
      .finally(() => this.beginning.delete(id));
    this.beginning.set(id, begun);
    return begun;
  }

  /** In the run's turn: a loop asks for many at once, and each must look up its document. */
  private async begin(id: string, { request, source, granted, parent }: NewChild): Promise<ChildAnswer> {
    const { options, sharing, starts, orphans } = this.parts;
    const { root, execution_id: caller } = parent;
    const resolved = await options.resolve?.(request.path, source);
    if (resolved === undefined) return invalid('this process cannot look up nested playbooks');
    if ('message' in resolved) return invalid(resolved.message);
    const missing = missingStep(resolved.plan, request.return_step);
    if (missing !== undefined) return invalid(`nested playbook ${request.path}: ${missing}`);
    const workload = { ...asData(resolved.plan.workload), ...request.args };
    const fault = sharing.workloadFault(workload);
    if (fault !== undefined) return invalid(`nested playbook ${request.path}: ${fault}`);
    const run = await options.store.execution(root);
    if (run?.ended_at !== undefined) return invalid(`run ${root}, which it is part of, has ended`);
    if (!(await this.nested.add(root, id))) return this.tooMany(root);
    const more = { parent, iter: request.iter };
    await starts.start({ ...resolved, workload, granted, executionId: id, more });
    await orphans.endWithCaller(id, caller);
    return { state: 'running', execution_id: id };
  }

  async cancelChild(executionId: string, reason: string): Promise<void> {
    await this.parts.decisions.command(executionId, { type: 'CancelExecution', reason });
  }

  /**
   * The run as a whole is at fault. It ends at once: otherwise its nested runs would keep starting others until they
   * heard of it.
   */
  private tooMany(root: string): ChildAnswer {
    const limit = this.parts.bounds.limits.nested_runs;
    const message = `the run has ${limit} nested runs in progress, which is the limit; does a playbook call itself in a loop? Lower max_in_flight, or raise the limit with --limit nested_runs=N`;
    const error = { kind: 'policy', retryable: false, code: 'limit/nested_runs', message } as const;
    this.send(root, { type: 'FailExecution', error });
    return invalid(message);
  }

  /** Wakes the caller, and ends what the execution called. */
  ended(execution: Pick<LiveExecution, 'id' | 'state' | 'children'>): void {
    const { id, state } = execution;
    this.nested.remove(lineageOf(id, state.parent).root, id);
    if (state.parent) this.wake(state.parent.execution_id, state.parent.job_id);
    this.parts.orphans.callerEnded(execution);
  }

  /**
   * A caller waits for a person when its child does, and continues when its child does: the job that called it looks
   * again.
   */
  asked(execution: LiveExecution): void {
    if (!execution.tellsCaller) return;
    execution.tellsCaller = false;
    const { state } = execution;
    if (state.parent && !isEnded(state)) this.wake(state.parent.execution_id, state.parent.job_id);
  }

  /** A question may be answered already without those who called the asking run knowing it yet. */
  isAsking({ state }: LiveExecution): boolean {
    if (state.status !== 'needs_human') return false;
    return [...state.jobs.values()].every(({ child, human }) => {
      const called = human?.asks && child !== null ? this.parts.live.get(child) : undefined;
      return called === undefined || this.isAsking(called);
    });
  }

  /** A job was woken: what it waited for no longer matters. */
  forgetChildren({ children, state }: LiveExecution): void {
    if (children.size === 0) return;
    children.clear();
    for (const job of state.jobs.values()) if (job.child !== null) children.add(job.child);
  }

  wake(executionId: string, jobId: string): void {
    this.send(executionId, { type: 'WakeJob', job_id: jobId });
  }

  /** Children may have ended or begun to ask, or the caller may have ended, while nobody watched. */
  async look({ id, root, state }: LiveExecution): Promise<void> {
    const { ticks, options } = this.parts;
    const { store } = options;
    let looked = 0;
    for (const { job_id } of outstanding(state).children) {
      await this.lookAt(id, state.jobs.get(job_id));
      if (++looked % LOOKED_AT_ONCE === 0) await ticks.turn(root);
    }
    const caller = state.parent && (await store.execution(state.parent.execution_id));
    if (caller?.ended_at !== undefined) this.send(id, endedBy(caller.execution_id));
  }

  lookSoon(execution: LiveExecution): void {
    this.look(execution).catch((error: unknown) => this.parts.sharing.again(execution.id, error));
  }

  /** The same for one job that has just begun to wait. */
  lookAtSoon({ id, state }: LiveExecution, jobId: string): void {
    this.lookAt(id, state.jobs.get(jobId)).catch((error: unknown) => this.parts.sharing.again(id, error));
  }

  private async lookAt(executionId: string, job: Job | undefined): Promise<void> {
    if (job === undefined || job.child === null) return;
    const { live, options, sharing } = this.parts;
    const row = await options.store.execution(job.child);
    const isKnown = (row?.status === 'needs_human') === (job.human !== null);
    if (row === undefined || row.ended_at !== undefined || !isKnown) return this.wake(executionId, job.id);
    // Whoever claims a run also becomes the driver of the runs that it called, so no search for runs without a driver
    // finds them.
    const isOurs = row.driver === sharing.names.log;
    if (isOurs && row.status === 'running' && !live.has(job.child)) sharing.again(job.child, undefined);
  }

  /** A command that nobody waits for. */
  send(executionId: string, command: Command): void {
    const { live, decisions, sharing } = this.parts;
    const execution = live.get(executionId);
    if (execution) decisions.guarded(execution, command);
    else sharing.send(executionId, command);
  }
}

const invalid = (message: string): ChildAnswer => ({ state: 'invalid', message });

/** Without this check the result of the call would be null, however the step's name is misspelt. */
function missingStep({ steps }: Plan, name: string | undefined): string | undefined {
  if (name === undefined || steps.some((step) => step.name === name)) return undefined;
  const known = steps.slice(0, MOST_NAMED).map((step) => `"${step.name}"`);
  const others = steps.length > MOST_NAMED ? ', …' : '';
  return `it has no step "${name}" for return_step; its steps are ${known.join(', ')}${others}`;
}

function childAnswer(state: State, returnStep: string | undefined): ChildAnswer {
  const { execution_id, status } = state;
  if (status === 'needs_human') return { state: 'running', execution_id, asks: questionsOf(state) };
  if (!isEnded(state)) return { state: 'running', execution_id };
  const result = returnStep === undefined ? state.result : state.steps.get(returnStep)?.result;
  const error = state.error ? { error: state.error.message } : {};
  return { state: 'ended', execution_id, status, result: result ?? null, ...error };
}
