/**
 * The names that a template can see, looked up by reference: nothing is copied, so a large context costs nothing.
 *
 * Order of bare names: pipeline locals, iterators (inner first), task results of this pipeline, args, ctx, results of
 * earlier steps, results of their named tasks, workload.
 */
import type { Scope } from '@woof/expr';
import type { Json, JsonObject } from './json.ts';
import type { Outcome } from './outcome.ts';
import type { StepSummary } from './state.ts';

/** What of an execution a template can read. */
export interface World {
  execution_id: string;
  workload: JsonObject;
  ctx: JsonObject;
  steps: { get(name: string): StepSummary | undefined };
  labels: JsonObject;
  keychain?: JsonObject;
}

/** One iteration, and through `parent` the iterations around it. */
export interface IterFrame {
  iterator: string;
  item: Json;
  index: number;
  length: number;
  parent?: IterFrame;
}

export interface Locals {
  args: JsonObject;
  vars?: JsonObject;
  /** The scratchpad of the innermost iteration (of the step run, without a loop). */
  iter?: JsonObject;
  frame?: IterFrame;
  /** The calling iteration, in a nested playbook. */
  callerIter?: JsonObject;
  results?: JsonObject;
  prev?: Json;
  task?: string;
  attempt?: number;
  outcome?: Outcome;
  event?: { name: string; step: string; payload: JsonObject };
  loop?: JsonObject;
  jobId?: string;
  /** The result of the step that just ended, before it is folded. */
}

export class StepScope implements Scope {
  constructor(
    private readonly world: World,
    private readonly locals: Locals,
  ) {}

  get(name: string): unknown {
    const local = this.reserved(name);
    if (local !== undefined) return local;
    for (let frame = this.locals.frame; frame; frame = frame.parent) {
      if (frame.iterator === name) return frame.item;
    }
    return (
      own(this.locals.results, name) ??
      own(this.locals.args, name) ??
      own(this.world.ctx, name) ??
      this.world.steps.get(name)?.result ??
      own(this.world.labels, name) ??
      own(this.world.workload, name) ??
      this.nullOf(name)
    );
  }

  isResult(name: string): boolean {
    return (
      this.reserved(name) === undefined &&
      (own(this.locals.results, name) !== undefined ||
        this.world.steps.get(name)?.result !== undefined ||
        own(this.world.labels, name) !== undefined)
    );
  }

  /** `??` passes over null, which is a value: look again for a name that is there and null. */
  private nullOf(name: string): null | undefined {
    const { results, args } = this.locals;
    const holders = [results, args, this.world.ctx, this.world.labels, this.world.workload];
    const known = holders.some((holder) => holder && Object.hasOwn(holder, name));
    return known || this.world.steps.get(name)?.result === null ? null : undefined;
  }

  private reserved(name: string): unknown {
    const { locals, world } = this;
    switch (name) {
      case 'outcome':
        return locals.outcome;
      case 'iter':
        return iterView(locals);
      case '_prev':
        return locals.prev;
      case 'workload':
        return world.workload;
      case 'ctx':
        return world.ctx;
      case 'vars':
        return locals.vars ?? {};
      case 'args':
      case 'input':
        return locals.args;
      case 'results':
        return locals.results ?? {};
      case 'event':
        return locals.event;
      case 'keychain':
        return world.keychain ?? {};
      case 'execution_id':
        return world.execution_id;
      case '_task':
        return locals.task;
      case '_attempt':
        return locals.attempt;
      case 'job':
        return { uuid: locals.jobId ? `${world.execution_id}/${locals.jobId}` : world.execution_id };
      case 'loop':
        return locals.loop ?? (locals.frame && loopView(locals.frame));
      case '_index':
      case 'loop_index':
        return locals.frame?.index;
      case '_first':
        return locals.frame && locals.frame.index === 0;
      case '_last':
        return locals.frame && locals.frame.index === locals.frame.length - 1;
      default:
        return undefined;
    }
  }
}

function own(holder: JsonObject | undefined, name: string): Json | undefined {
  return holder !== undefined && Object.hasOwn(holder, name) ? holder[name] : undefined;
}

/** `iter` as templates see it: the scratchpad over index, the item under its name, and `parent`. */
export function iterView(locals: Pick<Locals, 'iter' | 'frame' | 'callerIter'>): JsonObject {
  const { frame, iter, callerIter } = locals;
  if (frame === undefined) return callerIter ? { ...callerIter, ...iter } : { index: 0, ...iter };
  return { ...frameView(frame, callerIter), ...iter };
}

function frameView(frame: IterFrame, callerIter: JsonObject | undefined): JsonObject {
  const view: JsonObject = { index: frame.index, [frame.iterator]: frame.item };
  const parent = frame.parent ? frameView(frame.parent, callerIter) : callerIter;
  if (parent) view.parent = parent;
  return view;
}

function loopView(frame: IterFrame): JsonObject {
  const last = frame.index === frame.length - 1;
  return { index: frame.index, first: frame.index === 0, last, length: frame.length, done: false };
}
