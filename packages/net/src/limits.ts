/**
 * How large an execution may become, so that no document can bring down the process that runs it.
 *
 * Jobs, loops and iterations beyond their limit wait until there is room. Tokens, events and bytes cannot wait, because
 * whatever creates them has already happened. Beyond their limit the execution fails.
 */

import type { TaskError } from './pipeline.ts';
import type { Loop } from './plan.ts';
import { roughSize } from './rough-size.ts';
import type { LoopState, State } from './state.ts';

export interface Limits {
  /** Live jobs: ready, running or parked. */
  jobs: number;
  /** Live loops; an inner loop counts once for each running iteration around it. */
  loops: number;
  /** Iterations of one loop, from the oldest that is still running to the newest. */
  iterations: number;
  /** Tokens that wait to be admitted. */
  tokens: number;
  events: number;
  /** Approximate size of the state as JSON, in bytes. */
  state_bytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  jobs: 10_000,
  loops: 10_000,
  iterations: 100_000,
  tokens: 50_000,
  events: 100_000_000,
  state_bytes: 128 * 1024 * 1024,
};

/** The upper limit of `inline_max_bytes`: inline results travel with every report and stay in the log. */
export const MOST_INLINE_BYTES = 1024 * 1024;

/** How many more jobs may be live. */
export function jobRoom(state: State, limits: Limits): number {
  return limits.jobs - state.jobs.size;
}

/**
 * Whether one more loop of this kind may start. The loops inside it need a place too. Unless one is reserved for each
 * level, outer loops could take every place and wait forever for their inner loops. One nest always has room, however
 * deep.
 */
export function hasLoopRoom(state: State, limits: Limits, loop: Loop, depth: number): boolean {
  return state.loops.size < Math.max(depth + 1, limits.loops - levelsInside(loop));
}

function levelsInside(loop: Loop): number {
  return loop.inner === undefined ? 0 : 1 + levelsInside(loop.inner);
}

/** Why the execution must fail: it has too many tokens or events. */
export function overLimit(state: State, limits: Limits): TaskError | undefined {
  if (state.tokens.size > limits.tokens) return tooMany('tokens', state.tokens.size, limits, wanted(state));
  if (state.seq > limits.events)
    return tooMany('events', state.seq, limits, 'Does a step lead back to itself without end?');
  return undefined;
}

function wanted(state: State): string {
  const counts = new Map<string, number>();
  for (const { step } of state.tokens.values()) counts.set(step, (counts.get(step) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return `Most of them wait for step "${most?.[0]}"; does more than one arc lead back to it?`;
}

function tooMany(what: keyof Limits, count: number, limits: Limits, hint: string): TaskError {
  const message = `the run has ${count} ${what}, and the limit is ${limits[what]}. ${hint} Raise the limit with --limit ${what}=N`;
  return { kind: 'policy', retryable: false, code: `limit/${what}`, message };
}

/** Why the execution must fail: what it holds in memory is too large. */
export function overBytes(state: State, limits: Limits): { bytes: number; error?: TaskError } {
  const parts = sizesOf(state);
  const bytes = parts.reduce((sum, [, size]) => sum + size, 0);
  if (bytes <= limits.state_bytes) return { bytes };
  const [largest] = parts.sort(([, a], [, b]) => b - a);
  const sizes = `about ${mebibytes(bytes)} of memory, most of it (${mebibytes(largest![1])}) ${largest![0]}`;
  const message = `the run uses ${sizes}, and the limit is ${mebibytes(limits.state_bytes)}. Let its tasks return less, or raise the limit with --limit state_bytes=N`;
  return { bytes, error: { kind: 'policy', retryable: false, code: 'limit/state_bytes', message } };
}

function sizesOf({ ctx, workload, steps, loops, jobs, tokens, runs }: State): [string, number][] {
  return [
    ['for ctx', roughSize(ctx)],
    ['for the workload', roughSize(workload)],
    ['for results of steps', sum(steps, ({ result, tasks }) => roughSize(result) + roughSize(tasks))],
    ['for items and results of loops', sum(loops, sizeOfLoop)],
    ['for jobs', sum(jobs, ({ pipeline: { iter, vars, results } }) => roughSize([iter, vars, results]))],
    ['for tokens', sum(tokens, ({ args }) => roughSize(args))],
    ['for arguments of step runs', sum(runs, ({ args }) => roughSize(args))],
  ];
}

/** If there are many entries, a sample stands for the rest, because all other executions wait meanwhile. */
function sum<T>(all: ReadonlyMap<string, T>, size: (one: T) => number): number {
  const share = MOST_LOOKED_AT / all.size;
  let [index, looked, total] = [0, 0, 0];
  for (const one of all.values()) {
    if ((index++ * GOLDEN_RATIO) % 1 >= share) continue;
    looked += 1;
    total += size(one);
  }
  return looked === 0 ? 0 : (total / looked + PER_ENTRY) * all.size;
}

function sizeOfLoop({ items, bytes, errors, stored }: LoopState): number {
  return roughSize(items) + bytes + roughSize(errors as never) + roughSize(stored.pages);
}

const MOST_LOOKED_AT = 500;
/** Its multiples are spread evenly over all entries, and also over every second or tenth of them. */
const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;
/** What an entry takes in addition to its values. */
const PER_ENTRY = 300;

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
