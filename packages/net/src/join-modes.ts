/**
 * The join modes of a step, one row per mode. Firing (`advance.ts`), routing and `why` call the row, and decide nothing
 * about a mode themselves.
 */
import { allArcs } from './join-all.ts';
import { indexOf } from './plan-index.ts';
import type { State, Token } from './state.ts';

interface Join {
  /** How tokens wait for each other; absent: each token fires the step when it arrives. */
  gathers?: Gathering;
  /** Why a token that is sent to the step now is dropped; undefined if it is kept. */
  refuses(state: State, step: string): string | undefined;
}

export interface Gathering {
  /** The waiting tokens that fire the step now; undefined while it must wait. */
  takes(state: State, step: string): Token[] | undefined;
  /** The waiting tokens that fire the step when nothing but joins is left, which wait only for each other. */
  takesAtLast(state: State, step: string): Token[];
  /** What the waiting tokens wait for, as `woof why` says it. */
  waitsFor(state: State, step: string): string;
}

const ROWS = {
  /** Fires for every token. */
  each: { refuses: ifPassedOver },
  /** Waits for a token from every incoming arc that can still deliver one. Later tokens wait for the next firing. */
  all: { gathers: allArcs, refuses: ifPassedOver },
} satisfies Record<string, Join>;

export type JoinMode = keyof typeof ROWS;

export const JOIN_MODES = Object.keys(ROWS) as JoinMode[];

export const joinOf = (state: State, step: string): Join => ROWS[indexOf(state.plan).step(step).join];

/** How tokens wait at a step that has some waiting. */
export const gatheringAt = (state: State, step: string): Gathering => joinOf(state, step).gathers!;

/** A step that a failure skipped takes no tokens from its other arcs. */
function ifPassedOver({ plan, steps }: State, step: string): string | undefined {
  if (plan.failure !== 'skip') return undefined;
  const summary = steps.get(step);
  return summary?.status === 'skipped' ? (summary.because ?? '') : undefined;
}
