/**
 * The pipeline of one job as a fold over its recorded outcomes.
 *
 * Owns: program counter, attempts, `iter` and `vars` scratchpads, `_prev`, task results. The worker folds while it
 * runs, and the server folds the same records, so a job that is claimed again resumes where the records end.
 * Does not own: how a directive is chosen (policy.ts), ctx (the server's).
 */
import { define, isObject, type Json, type JsonObject } from './json.ts';
import type { Outcome, OutcomeError } from './outcome.ts';
import type { Do, Task } from './plan.ts';

export interface Pipeline {
  /** Index of the next task to run. */
  pc: number;
  /** How often the task at `pc` was executed during this visit. */
  attempt: number;
  /** Number of task runs so far, used for their ids. */
  taskRuns: number;
  prev: Json;
  /** Replaced, never mutated: a template may have taken one of these as a value. */
  iter: JsonObject;
  vars: JsonObject;
  results: JsonObject;
  status: 'running' | 'done' | 'failed';
  error?: TaskError;
  /** The earliest time for a retry (ms); 0: at once. */
  notBefore: number;
  /** What a parked tool asked to receive when it runs again. */
  memo: Json;
  /** Leases of the task at `pc` that ended with the loss of their worker, not with an outcome. */
  lost: number;
}

export interface TaskError extends OutcomeError {
  task?: string;
  attempts?: number;
}

/** What a policy made of an outcome, with all values evaluated. */
export interface Directive {
  do: Do;
  /** Index of the rule that matched; -1 for the defaults if there is no `else`. */
  rule?: number;
  to?: string;
  delay_ms?: number;
  set_iter?: JsonObject;
  set_vars?: JsonObject;
  set_ctx?: JsonObject;
  set_shared?: JsonObject;
  set_prev?: Json;
  /** Why the pipeline fails, if it is not the outcome's own error. */
  error?: TaskError;
}

/** Shared by all pipelines that have none of these yet: a long loop keeps a pipeline per iteration. */
const NONE: JsonObject = {};

export function newPipeline(tasks: readonly Task[]): Pipeline {
  return {
    pc: 0,
    attempt: 0,
    taskRuns: 0,
    prev: null,
    notBefore: 0,
    memo: null,
    lost: 0,
    iter: NONE,
    vars: NONE,
    results: NONE,
    status: tasks.length === 0 ? 'done' : 'running',
  };
}

/** Folds one recorded outcome in place. */
export function applyOutcome(
  pipeline: Pipeline,
  tasks: readonly Task[],
  outcome: Outcome,
  directive: Directive,
  at: number,
): void {
  const task = tasks[pipeline.pc];
  if (task === undefined) throw new Error(`no task at ${pipeline.pc}`);
  pipeline.taskRuns += 1;
  pipeline.attempt += 1;
  pipeline.memo = directive.do === 'retry' ? answerAlone(pipeline.memo) : null;
  pipeline.notBefore = 0;
  if (directive.do !== 'skip') {
    const results = { ...pipeline.results };
    // A computed key in a literal costs ten times as much.
    define(results, task.label, outcome.result ?? null);
    pipeline.results = results;
    if (directive.do !== 'retry') pipeline.prev = outcome.result ?? null;
  }
  if (directive.set_iter) pipeline.iter = { ...pipeline.iter, ...directive.set_iter };
  if (directive.set_vars) pipeline.vars = { ...pipeline.vars, ...directive.set_vars };
  if (directive.set_prev !== undefined) pipeline.prev = directive.set_prev;
  move(pipeline, tasks, task, outcome, directive, at);
}

function move(
  pipeline: Pipeline,
  tasks: readonly Task[],
  task: Task,
  outcome: Outcome,
  directive: Directive,
  at: number,
): void {
  switch (directive.do) {
    case 'retry':
      if (directive.delay_ms) pipeline.notBefore = at + directive.delay_ms;
      return;
    case 'fail':
      pipeline.status = 'failed';
      pipeline.error = { ...errorOf(outcome, directive, task), task: task.label, attempts: pipeline.attempt };
      return;
    case 'break':
      pipeline.status = 'done';
      return;
    case 'jump':
      goTo(
        pipeline,
        tasks,
        tasks.findIndex((candidate) => candidate.label === directive.to),
      );
      return;
    default:
      goTo(pipeline, tasks, pipeline.pc + 1);
  }
}

/** A person's answer also applies to the attempts that follow. */
function answerAlone(memo: Json): Json {
  return isObject(memo) && isObject(memo.answer) ? { memo: null, answer: memo.answer } : null;
}

function goTo(pipeline: Pipeline, tasks: readonly Task[], pc: number): void {
  pipeline.pc = pc;
  pipeline.attempt = 0;
  pipeline.lost = 0;
  if (pc >= tasks.length) pipeline.status = 'done';
}

function errorOf(outcome: Outcome, directive: Directive, task: Task): TaskError {
  if (directive.error) return directive.error;
  if (outcome.error) return outcome.error;
  const message = `a rule of task "${task.label}" says "do: fail"`;
  return { kind: 'policy', retryable: false, message };
}

export function taskRunId(jobId: string, pipeline: Pipeline, label: string): string {
  return `${jobId}/${label}.${pipeline.taskRuns + 1}`;
}

/** The id of the first run of this visit: the same for all its attempts. */
export function visitId(jobId: string, pipeline: Pipeline, label: string): string {
  return `${jobId}/${label}.${pipeline.taskRuns + 1 - pipeline.attempt}`;
}
