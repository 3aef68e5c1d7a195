/** A state as plain JSON and back. The plan is not part of it: it is stored once, by hash. */
import { currentVersion, toCurrent } from './format.ts';
import type { Json, JsonObject } from './json.ts';
import type { Plan } from './plan.ts';
import { emptyState, isEnded, type LoopState, type State, wholeAgenda } from './state.ts';
import { SNAPSHOT } from './upcasters.ts';

const MAPS = ['tokens', 'runs', 'jobs', 'steps', 'waiting', 'live'] as const;

export function toSnapshot(state: State): Json {
  return { version: currentVersion(SNAPSHOT), ...toPlain(state) };
}

export function fromSnapshot(snapshot: Json, plan: Plan): State {
  const { version, ...stored } = snapshot as JsonObject;
  return fromPlain(toCurrent(SNAPSHOT, stored, version), plan);
}

/** A snapshot without a version: only the program that made it can read it. */
export function toPlain(state: State): JsonObject {
  const plain: Record<string, unknown> = { ...state };
  delete plain.plan;
  delete plain.agenda;
  for (const key of MAPS) plain[key] = [...state[key]];
  plain.loops = [...state.loops].map(([id, loop]) => [id, { ...loop, active: [...loop.active] }]);
  plain.ready = [...state.ready];
  return plain as JsonObject;
}

export function fromPlain(value: JsonObject, plan: Plan): State {
  const plain = value as unknown as Plain;
  const state = { ...emptyState('', plan), ...plain, plan } as unknown as State;
  for (const key of MAPS) (state as unknown as Record<string, unknown>)[key] = new Map(plain[key]);
  state.loops = new Map(plain.loops.map(([id, loop]) => [id, { ...loop, active: new Set(loop.active) }]));
  state.ready = new Set(plain.ready);
  if (!isEnded(state)) state.agenda = wholeAgenda(state);
  return state;
}

type PlainLoop = Omit<LoopState, 'active'> & { active: number[] };

type Plain = { [key in (typeof MAPS)[number]]: [string, unknown][] } & {
  loops: [string, PlainLoop][];
  ready: string[];
};
