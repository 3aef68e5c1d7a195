/** Rules of ctx: reducers for shared writes, and write-once for parallel iterations. */
import type { Json, JsonObject } from './json.ts';
import { isObject, mergeLayers } from './json.ts';
import { indexOf } from './plan-index.ts';
import type { Job, State } from './state.ts';

type Reducer = (before: Json | undefined, value: Json) => Json;

const asNumber = (value: Json | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

export const REDUCERS: Record<string, Reducer> = {
  append: (before, value) => [...(Array.isArray(before) ? before : []), value],
  sum: (before, value) => asNumber(before, 0) + asNumber(value, 0),
  min: (before, value) => Math.min(asNumber(before, Number.POSITIVE_INFINITY), asNumber(value, 0)),
  max: (before, value) => Math.max(asNumber(before, Number.NEGATIVE_INFINITY), asNumber(value, 0)),
  count: (before, value) => asNumber(before, 0) + (value === false || value === null ? 0 : 1),
  merge: (before, value) => mergeLayers(isObject(before) ? before : {}, isObject(value) ? value : {}),
};

/** `{total: {sum: 3}}` over a ctx gives the keys as they now stand. */
export function patchShared(ctx: JsonObject, shared: JsonObject | undefined): JsonObject {
  const patched: JsonObject = {};
  for (const [key, change] of Object.entries(shared ?? {})) {
    for (const [reducer, value] of Object.entries(change as JsonObject)) {
      const reduce = REDUCERS[reducer];
      if (reduce) patched[key] = reduce(patched[key] ?? ctx[key], value);
    }
  }
  return patched;
}

/** Why a shared write cannot be applied, if it cannot. */
export function sharedFault(shared: JsonObject): string | undefined {
  for (const [key, change] of Object.entries(shared)) {
    const names = isObject(change) ? Object.keys(change) : [];
    const known = Object.keys(REDUCERS).join(', ');
    if (names.length === 0 || !names.every((name) => Object.hasOwn(REDUCERS, name))) {
      return `set_shared.${key} must be {reducer: value} with a reducer of ${known}; got ${JSON.stringify(change)}`;
    }
    const numeric = names.find((name) => ['sum', 'min', 'max'].includes(name));
    if (numeric && typeof (change as JsonObject)[numeric] !== 'number') {
      return `set_shared.${key}.${numeric} needs a number, got ${JSON.stringify((change as JsonObject)[numeric])}`;
    }
  }
  return undefined;
}

/** In a parallel loop a key is written once: another iteration's different value is a conflict that names both. */
export function writeConflict(state: State, job: Job, patch: JsonObject): string | undefined {
  const outermost = indexOf(state.plan).step(job.step).loop;
  const path = job.id.split('/');
  for (let depth = 0, spec = outermost; spec !== undefined; depth++, spec = spec.inner) {
    if (spec.mode !== 'parallel') continue;
    const loop = state.loops.get(loopIdAt(state, job, depth));
    const index = Number(path[path.length - loopDepth(outermost) + depth]);
    for (const [key, value] of Object.entries(patch)) {
      const writer = loop && Object.hasOwn(loop.writers, key) ? loop.writers[key] : undefined;
      if (writer !== undefined && writer !== index && !sameJson(state.ctx[key], value)) {
        return `ctx.${key} was already set by iteration ${loop!.id}/${writer}; iteration ${job.id} tried to set another value. Use set_iter, or set_shared with a reducer`;
      }
    }
  }
  return undefined;
}

function loopDepth(loop: { inner?: unknown } | undefined): number {
  let depth = 0;
  for (let spec = loop; spec !== undefined; spec = spec.inner as typeof loop) depth++;
  return depth;
}

function loopIdAt(state: State, job: Job, depth: number): string {
  let id = job.loop ?? '';
  for (let loop = state.loops.get(id); loop && loop.depth > depth; loop = state.loops.get(id)) {
    id = id.slice(0, id.lastIndexOf('/'));
  }
  return id;
}

function sameJson(a: Json | undefined, b: Json): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]!));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]!))
  );
}
