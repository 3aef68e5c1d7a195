/** A state as plain JSON and back. The plan is not part of it: it is stored once, by hash. */
import type { Json } from './json.ts';
import type { Plan } from './plan.ts';
import { roughSize } from './rough-size.ts';
import { emptyState, isEnded, type LoopState, type State, wholeAgenda } from './state.ts';

const MAPS = ['tokens', 'runs', 'jobs', 'steps', 'waiting', 'live'] as const;

export function toSnapshot(state: State): Json {
  const plain: Record<string, unknown> = { ...state };
  delete plain.plan;
  delete plain.agenda;
  for (const key of MAPS) plain[key] = [...state[key]];
  plain.loops = [...state.loops].map(([id, loop]) => [id, { ...loop, active: [...loop.active] }]);
  plain.ready = [...state.ready];
  return plain as Json;
}

export function fromSnapshot(snapshot: Json, plan: Plan): State {
  const plain = snapshot as unknown as Plain;
  const state = { ...emptyState('', plan), ...plain, plan } as unknown as State;
  for (const key of MAPS) (state as unknown as Record<string, unknown>)[key] = new Map(plain[key]);
  state.loops = new Map(plain.loops.map(([id, loop]) => [id, toLoop(loop)]));
  state.ready = new Set(plain.ready);
  if (!isEnded(state)) state.agenda = wholeAgenda(state);
  return state;
}

function toLoop(loop: PlainLoop): LoopState {
  const active = new Set(loop.active);
  if (loop.stored !== undefined) return { ...loop, active };
  // Of an earlier version: it kept a place for every result from the start, and counted no bytes.
  const results = loop.results.slice(0, loop.next);
  const oldest = loop.active[0] ?? loop.next;
  return { ...loop, active, oldest, results, bytes: roughSize(results), stored: { count: 0, pages: [] } };
}

type PlainLoop = Omit<LoopState, 'active'> & { active: number[] };

type Plain = { [key in (typeof MAPS)[number]]: [string, unknown][] } & {
  loops: [string, PlainLoop][];
  ready: string[];
};
