/**
 * Values ⇄ text. JSON if JSON is enough; what it would lose is written as `{"$": kind, "v": …}`. So Date, Map, Set,
 * BigInt, typed arrays, undefined, NaN and -0 survive a round trip. What cannot (functions, class instances, cycles) is
 * refused with its path. The text contains no `<`, so it can be placed inside a script element.
 *
 * Text may come from anyone. Decoding creates only data: no key reaches a prototype, and damaged text throws.
 */
import { fromBase64, toBase64 } from './base64.ts';
import { WbError } from './wb-error.ts';

const MAX_DEPTH = 200;
/** Approximate limit for text: what a page can still copy and parse without making a person wait. */
const MAX_TEXT = 32 * 1024 * 1024;

/** Called with every string (and bytes) that is about to be written; throws to refuse it. */
export type Guard = (found: string | Uint8Array, path: string) => void;

const VIEWS = new Map(
  [
    Int8Array,
    Uint8Array,
    Uint8ClampedArray,
    Int16Array,
    Uint16Array,
    Int32Array,
    Uint32Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
    DataView,
  ].map((View) => [View.name, View] as [string, new (buffer: ArrayBuffer) => ArrayBufferView]),
);

export function encode(value: unknown, root = 'value', guard: Guard = () => {}): string {
  const inside = new Set<object>();
  let size = 0;
  return JSON.stringify(plain(value, root)).replaceAll('<', '\\u003c');

  function count(length: number, path: string): void {
    size += length;
    if (size > MAX_TEXT) throw tooLarge(root, path);
  }

  /** Counts it, and passes it to the guard. */
  function account(found: string | Uint8Array, path: string): void {
    count(found.length, path);
    guard(found, path);
  }

  function plain(value: unknown, path: string): unknown {
    count(2, path);
    if (typeof value === 'string') account(value, path);
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    if (value === undefined) return tag('undefined');
    if (typeof value === 'bigint' || typeof value === 'number') return number(value, path);
    if (typeof value === 'object') return within(value, path);
    throw unsupported(path, `a ${typeof value}`);
  }

  function number(value: bigint | number, path: string): unknown {
    account(String(value), path);
    if (typeof value === 'bigint') return tag('bigint', String(value));
    return Number.isFinite(value) && !Object.is(value, -0)
      ? value
      : tag('number', Object.is(value, -0) ? '-0' : String(value));
  }

  function within(value: object, path: string): unknown {
    if (inside.has(value)) throw unsupported(path, 'an object that is inside itself');
    if (inside.size >= MAX_DEPTH) throw unsupported(path, `deeper than ${MAX_DEPTH} levels`);
    inside.add(value);
    const made = object(value, path);
    inside.delete(value);
    return made;
  }

  function object(value: object, path: string): unknown {
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (Array.isArray(value)) return list(value, path);
    if (kind === 'Date') return tag('Date', (value as Date).getTime());
    if (kind === 'Map') return tag('Map', pairs(value as Map<unknown, unknown>, path));
    if (kind === 'Set')
      return tag(
        'Set',
        Array.from(value as Set<unknown>, (item) => plain(item, path)),
      );
    if (kind === 'ArrayBuffer') return tag(kind, bytes(new Uint8Array(value as ArrayBuffer), path));
    if (VIEWS.has(kind)) return tag(kind, bytes(bytesOf(value as ArrayBufferView), path));
    const proto: unknown = Object.getPrototypeOf(value);
    if (proto !== null && Object.getPrototypeOf(proto) !== null) throw unsupported(path, nameOf(value, kind));
    return record(value, path);
  }

  function list(items: unknown[], path: string): unknown {
    // Holes count too: a list may be longer than its contents.
    count(items.length, path);
    return Array.from(items, (item, index) => plain(item, `${path}[${index}]`));
  }

  function pairs(map: Map<unknown, unknown>, path: string): unknown {
    return Array.from(map, ([key, item], index) => [
      plain(key, `${path} (key ${index + 1})`),
      plain(item, typeof key === 'string' ? `${path}.${key}` : `${path} (value ${index + 1})`),
    ]);
  }

  function record(value: object, path: string): unknown {
    const entries = Object.entries(value).map(([key, item]) => {
      if (key === '__proto__') throw unsupported(path, 'an object with the key "__proto__"');
      account(key, path);
      return [key, plain(item, `${path}.${key}`)] as const;
    });
    return entries.some(([key]) => key === '$' || ESCAPED.test(key))
      ? tag('Object', entries)
      : Object.fromEntries(entries);
  }

  function bytes(found: Uint8Array, path: string): string {
    account(found, path);
    return toBase64(found);
  }
}

/**
 * A key that JSON writes with an escape. `JSON.parse` of V8 12.8 and later may read another key in its place
 * (https://github.com/nodejs/node/issues/63785), so such keys are written as values.
 */
const ESCAPED = /["\\<\p{Cc}\p{Cs}]/u;

const bytesOf = (view: ArrayBufferView) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
const tag = (kind: string, v?: unknown) => ({ $: kind, v });
const nameOf = (value: object, kind: string) =>
  `a ${(value.constructor as { name?: string } | undefined)?.name || kind}`;

function unsupported(path: string, what: string): WbError {
  const kept = 'plain objects, arrays, text, numbers, booleans, Date, Map, Set, BigInt and bytes can be kept';
  return new WbError('unsupported', `${path} is ${what}; ${kept}.`);
}

function tooLarge(root: string, path: string): WbError {
  const limit = `${MAX_TEXT / 1024 / 1024} MB`;
  return new WbError('too-large', `"${root}" takes more than the limit of ${limit} (reached at ${path}).`);
}

export function decode(text: string): unknown {
  try {
    return revive(JSON.parse(text), 0);
  } catch (error) {
    throw new WbError('damaged', `This is not a value that the runtime wrote: ${(error as Error).message}`);
  }
}

function revive(node: unknown, depth: number): unknown {
  if (typeof node !== 'object' || node === null) return node;
  // A tag is a level of its own.
  if (depth > 2 * MAX_DEPTH + 2) throw new Error('too deep');
  const next = (item: unknown) => revive(item, depth + 1);
  if (Array.isArray(node)) return node.map(next);
  if (!Object.hasOwn(node, '$')) return toRecord(Object.entries(node), next);
  return untag(node as { $: unknown; v: unknown }, next);
}

function untag({ $: kind, v }: { $: unknown; v: unknown }, next: (item: unknown) => unknown): unknown {
  switch (kind) {
    case 'undefined':
      return undefined;
    case 'number':
      return Number(v);
    case 'bigint':
      return BigInt(v as string);
    case 'Date':
      return new Date((v as number | null) ?? Number.NaN);
    case 'Map':
      return new Map((v as [unknown, unknown][]).map(([key, item]) => [next(key), next(item)]));
    case 'Set':
      return new Set((v as unknown[]).map(next));
    case 'Object':
      return toRecord(v as [string, unknown][], next);
    case 'ArrayBuffer':
      return fromBase64(v as string).buffer;
  }
  const View = VIEWS.get(kind as string);
  if (View) return new View(fromBase64(v as string).buffer);
  throw new Error(`unknown kind ${JSON.stringify(kind)}`);
}

function toRecord(entries: [string, unknown][], next: (item: unknown) => unknown): object {
  const safe = entries.filter(([key]) => key !== '__proto__');
  return Object.fromEntries(safe.map(([key, item]) => [key, next(item)]));
}
