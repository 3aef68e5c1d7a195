/** The join mode `all`: a token from every incoming arc that can still deliver one. */
import type { Gathering } from './join-modes.ts';
import { arcSource, indexOf } from './plan-index.ts';
import type { State, StepStatus, Token } from './state.ts';

export const allArcs: Gathering = { takes, takesAtLast, waitsFor };

function takes(state: State, name: string): Token[] | undefined {
  const waiting = state.waiting.get(name)?.length ?? 0;
  const incoming = indexOf(state.plan).incoming(name);
  if (waiting === 0 || (waiting < incoming.length && waitsForUnfinished(state, incoming))) return undefined;
  const arrived = firstOfEachArc(state, name);
  const taken: Token[] = [];
  for (const arc of incoming) {
    const token = arrived.get(arc);
    if (token) taken.push(token);
    else if (canStillCome(state, name, arc)) return undefined;
  }
  return taken.length > 0 ? taken : takesAtLast(state, name);
}

function takesAtLast(state: State, name: string): Token[] {
  return [...firstOfEachArc(state, name).values()].toReversed();
}

function waitsFor(state: State, name: string): string {
  const arrived = firstOfEachArc(state, name);
  const missing = indexOf(state.plan)
    .incoming(name)
    .filter((arc) => !arrived.has(arc) && canStillCome(state, name, arc))
    .map((arc) => `"${arcSource(arc)}"`);
  return `${missing.length > 1 ? 'steps' : 'step'} ${missing.join(', ')}`;
}

/** The latest arc first. A token at an entry has no arc. */
function firstOfEachArc(state: State, name: string): Map<string | undefined, Token> {
  const waiting = (state.waiting.get(name) ?? []).map((id) => state.tokens.get(id)!);
  return new Map(waiting.toReversed().map((token) => [token.arc, token]));
}

/**
 * A fast negative answer if each step runs once: thousands of arcs may lead to one join, which is checked for every
 * token. It searches from the end, because tokens usually arrive in order.
 */
function waitsForUnfinished(state: State, incoming: readonly string[]): boolean {
  if (state.plan.failure !== 'skip') return false;
  return incoming.findLastIndex((arc) => !ENDED.has(statusOf(state, arc))) !== -1;
}

const ENDED: ReadonlySet<StepStatus> = new Set(['succeeded', 'failed', 'skipped', 'cancelled']);

const statusOf = ({ steps }: State, arc: string): StepStatus =>
  steps.get(arcSource(arc))?.status ?? 'pending';

function canStillCome(state: State, join: string, arc: string): boolean {
  // A skipped step sends no token; a failed step has skipped the join itself.
  if (state.plan.failure === 'skip') return statusOf(state, arc) !== 'skipped';
  const feeders = indexOf(state.plan).feeders(join, arc);
  for (const step of state.live.keys()) if (feeders.has(step)) return true;
  return false;
}
