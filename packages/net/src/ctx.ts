/** Rules of ctx: reducers for shared writes, and write-once for parallel iterations. */
import { BlobError, oversize, sum } from '@woof/expr';
import type { Env } from './command.ts';
import { appended, paged, TAIL_BYTES } from './grown-lists.ts';
import { loopIdAt } from './iteration.ts';
import type { Json, JsonObject } from './json.ts';
import { encodeJson, Float, isObject, mergeLayers } from './json.ts';
import { indexOf } from './plan-index.ts';
import { holdsStored, isReference, isStoredList, naming, settled } from './reference.ts';
import { roughSize } from './rough-size.ts';
import type { Job, LoopState, State } from './state.ts';

type Reducer = (before: Json | undefined, value: Json) => Json;

type JsonNumber = number | bigint | Float;

const isNumber = (value: Json | undefined): value is JsonNumber =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Float;

const asNumber = (value: Json | undefined, otherwise: number): JsonNumber =>
  isNumber(value) ? value : otherwise;

const add = (before: Json | undefined, value: JsonNumber): JsonNumber => sum(asNumber(before, 0), value);

export const REDUCERS: Record<string, Reducer> = {
  append: (before, value) =>
    isReference(before) ? appended(before, [value]) : [...(Array.isArray(before) ? before : []), value],
  sum: (before, value) => add(before, asNumber(value, 0)),
  min: (before, value) => (isNumber(before) && before <= asNumber(value, 0) ? before : asNumber(value, 0)),
  max: (before, value) => (isNumber(before) && before >= asNumber(value, 0) ? before : asNumber(value, 0)),
  count: (before, value) => add(before, value === false || value === null ? 0 : 1),
  merge: (before, value) => mergeLayers(isObject(before) ? before : {}, isObject(value) ? value : {}),
};

/** An unstored list is measured only now and then, because that takes time: at these lengths, and with a large item. */
const MEASURED_EACH = 1024;
const LARGE_ITEM = 1024;

/**
 * An append as the log records it. From time to time a list is stored, the items after it become a page, and several
 * pages become one. So each item is written a few times, and no step writes the whole list.
 */
function foldableAppend(key: string, before: Json, value: Json, access: Access): JsonObject {
  if (!isReference(before)) return storedWhenLong(before, value, access.offload);
  const longer = appended(before, [value]);
  if (longer.more.bytes <= TAIL_BYTES) return { append: value };
  const tooLarge = oversize(longer, access.host.loadableBytes);
  if (tooLarge) throw new BlobError(tooLarge.fault, `ctx.${key} becomes too large: ${tooLarge.message}`);
  return { [BECOMES]: paged(longer, access) };
}

/** Each append copies the part of the list that is in memory, and that part travels with jobs. */
function storedWhenLong(before: Json, value: Json, offload: Access['offload']): JsonObject {
  if (!Array.isArray(before)) return { append: value };
  if (before.length % MEASURED_EACH !== 0 && roughSize(value) < LARGE_ITEM) return { append: value };
  const list = offload([...before, value]);
  return isReference(list) ? { [BECOMES]: list } : { append: value };
}

type Access = Pick<Env, 'resolve' | 'offload'> & { readonly host: Pick<Env['host'], 'loadableBytes'> };

const isAppend = (change: Json): change is { append: Json } =>
  isObject(change) && Object.hasOwn(change, 'append') && Object.keys(change).length === 1;

/** Marks a shared write that involved a stored value: the log records the resulting value of the key. */
const BECOMES = 'becomes';

/** Which existing values a reducer can continue from. */
const FITS: Record<string, (before: Json) => boolean> = {
  append: Array.isArray,
  sum: isNumber,
  min: isNumber,
  max: isNumber,
  count: isNumber,
  merge: isObject,
};

/** `{total: {sum: 3}}` applied to a ctx returns the keys with their new values. */
export function patchShared(ctx: JsonObject, shared: JsonObject | undefined): JsonObject {
  const patched: JsonObject = {};
  for (const [key, change] of Object.entries(shared ?? {})) {
    for (const [reducer, value] of Object.entries(change as JsonObject)) {
      const reduce = REDUCERS[reducer];
      if (reduce) patched[key] = reduce(patched[key] ?? ctx[key], value);
      else if (reducer === BECOMES) patched[key] = value;
    }
  }
  return patched;
}

/**
 * Shared writes in the form that the fold can apply. The fold reads no stored values, so writes that need one are
 * computed here.
 */
export function foldableShared(shared: JsonObject, ctx: JsonObject, access: Access): JsonObject {
  const { offload, host } = access;
  const foldable = Object.entries(shared).map(([key, change]) => {
    const known = Object.hasOwn(ctx, key) ? ctx[key] : undefined;
    const resolve = held(key, access.resolve);
    if (isAppend(change) && known !== undefined)
      return [key, foldableAppend(key, known, change.append, { resolve, offload, host })] as const;
    const needsStored = isReference(known) || (isObject(change) && holdsStoredMerge(change, known));
    if (!needsStored) return [key, change] as const;
    const before: JsonObject = known === undefined ? {} : { [key]: settled(known, resolve) };
    const after = patchShared(before, { [key]: settled(change, resolve) })[key] ?? null;
    return [key, { [BECOMES]: offload(after) }] as const;
  });
  return Object.fromEntries(foldable);
}

const held = (key: string, resolve: Env['resolve']) => naming(`the value of ctx.${key}`, resolve);

/** Lists may contain references, but a merge needs the actual values. */
function holdsStoredMerge({ merge }: JsonObject, before: Json | undefined): boolean {
  return merge !== undefined && (holdsStored(merge) || (before !== undefined && holdsStored(before)));
}

/** Why a shared write cannot be applied; undefined if it can. */
export function sharedFault(
  shared: JsonObject,
  ctx: JsonObject,
  { resolve }: Pick<Env, 'resolve'>,
): string | undefined {
  for (const [key, change] of Object.entries(shared)) {
    const names = isObject(change) ? Object.keys(change) : [];
    if (names.length === 0 || !names.every((name) => Object.hasOwn(REDUCERS, name))) {
      const reducers = Object.keys(REDUCERS).join(', ');
      return `set_shared.${key} must be {reducer: value}, with one of these reducers: ${reducers}; got ${encodeJson(change)}`;
    }
    const known = Object.hasOwn(ctx, key) ? ctx[key] : undefined;
    if (isAppend(change) && isReference(known) && isStoredList(known)) continue;
    const before = isReference(known) ? held(key, resolve)(known) : known;
    const unfit = before === undefined ? undefined : names.find((name) => !FITS[name]!(before!));
    if (unfit)
      return `set_shared.${key}.${unfit} does not fit the value of ctx.${key}: ${encodeJson(before)?.slice(0, 80)}`;
    const numeric = names.find((name) => ['sum', 'min', 'max'].includes(name));
    if (numeric && !isNumber((change as JsonObject)[numeric])) {
      return `set_shared.${key}.${numeric} needs a number, got ${encodeJson((change as JsonObject)[numeric])}`;
    }
  }
  return undefined;
}

/** In `writers`: not a single iteration, but all that share the key through reducers. */
export const SHARED = -1;

/** In a parallel loop a key is written once. A different value from another iteration is a conflict that names both. */
export function writeConflict(
  state: State,
  job: Job,
  { resolve }: Pick<Env, 'resolve'>,
  patch: JsonObject = {},
  shared: JsonObject = {},
): string | undefined {
  for (const { loop, index } of parallelLoops(state, job)) {
    const writerOf = (key: string) => (Object.hasOwn(loop.writers, key) ? loop.writers[key] : undefined);
    for (const [key, value] of Object.entries(patch)) {
      const writer = writerOf(key);
      if (writer === undefined || writer === index || isSame(state.ctx[key], value, held(key, resolve)))
        continue;
      return conflict(
        key,
        writer === SHARED ? 'shared through set_shared' : `set by iteration ${loop.id}/${writer}`,
        job,
      );
    }
    for (const key of Object.keys(shared)) {
      const writer = writerOf(key);
      if (writer === undefined || writer === SHARED || writer === index) continue;
      return conflict(key, `set by iteration ${loop.id}/${writer}`, job);
    }
  }
  return undefined;
}

function conflict(key: string, how: string, job: Job): string {
  return `ctx.${key} was already ${how}, and iteration ${job.id} tried to set a different value. Use set_iter, or set_shared with a reducer`;
}

/** The parallel loops around a job, with the job's index in each. */
function* parallelLoops(state: State, job: Job): Iterable<{ loop: LoopState; index: number }> {
  const outermost = indexOf(state.plan).step(job.step).loop;
  const path = job.id.split('/');
  for (let depth = 0, spec = outermost; spec !== undefined; depth++, spec = spec.inner) {
    const loop = spec.mode === 'parallel' ? state.loops.get(loopIdAt(state, job, depth)) : undefined;
    if (loop) yield { loop, index: Number(path[path.length - loopDepth(outermost) + depth]) };
  }
}

function loopDepth(loop: { inner?: unknown } | undefined): number {
  let depth = 0;
  for (let spec = loop; spec !== undefined; spec = spec.inner as typeof loop) depth++;
  return depth;
}

function isSame(a: Json | undefined, b: Json, resolve: Env['resolve']): boolean {
  if (sameJson(a, b)) return true;
  const isStored = a !== undefined && (holdsStored(a) || holdsStored(b));
  return isStored && sameJson(settled(a, resolve), settled(b, resolve));
}

function sameJson(a: Json | undefined, b: Json): boolean {
  if (a === b) return true;
  if (a instanceof Float) return b instanceof Float && Object.is(a.value, b.value);
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
