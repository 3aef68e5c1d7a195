/**
 * Owns: JSON and base64. `tojson` writes like Jinja2 (sorted keys, `, ` and `: `, ASCII only), but without the HTML
 * escapes: its output goes into SQL, shell commands and HTTP bodies.
 */
import { asStored, define, type Table } from '../builtin.ts';
import { needString, optionalIndex } from '../coerce.ts';
import { order } from '../compare.ts';
import { decodeJson } from '../exact-json.ts';
import { floatText } from '../float-text.ts';
import { toNative } from '../native.ts';
import { asData, handleOf, hasStoredParts, isHandle, isReference, referenceIn } from '../reference.ts';
import { need, type Runtime } from '../runtime.ts';
import { settle } from '../settle.ts';
import { Fault, fuelFault, typeFault, valueFault } from '../template-error.ts';
import { toText } from '../text.ts';
import { dictEntries, Float, isAbsent, isDict, isFloat, isInt, Opaque, typeName } from '../values.ts';

const MAX_DEPTH = 200;
const MAX_INDENT = 100;
/** Few enough bytes to be the arguments of one call. */
const CHUNK = 8192;
/** The cost of writing a list apart from its items, which dominates in deeply nested small lists. */
const LIST_COST = 12;

function tojson(rt: Runtime, value: unknown, indent: unknown): string {
  rt.sawJson = true;
  const width = optionalIndex(indent, 'the indent');
  if (width !== undefined && width > MAX_INDENT) throw valueFault(`the indent must be at most ${MAX_INDENT}`);
  return write(rt, value, width, 0);
}

function write(rt: Runtime, value: unknown, indent: number | undefined, depth: number): string {
  if (typeof value === 'string') rt.spend(value.length >> 3);
  const text = scalar(value) ?? composite(rt, value, indent, depth);
  rt.produce(text.length);
  return text;
}

function scalar(value: unknown): string | undefined {
  if (typeof value === 'string') return jsonString(value);
  if (value === null) return 'null';
  if (typeof value === 'boolean' || isInt(value)) return String(value);
  return isFloat(value) ? jsonFloat(value instanceof Float ? value.value : value) : undefined;
}

function jsonFloat(value: number): string {
  if (Number.isFinite(value)) return floatText(value);
  throw typeFault(`${value > 0 ? 'inf' : value < 0 ? '-inf' : 'nan'} cannot be written as JSON`);
}

function jsonString(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function composite(rt: Runtime, value: unknown, indent: number | undefined, depth: number): string {
  need(value);
  if (value instanceof Opaque || isAbsent(value))
    throw typeFault(`a ${typeName(value)} cannot be written as JSON`);
  if (depth > MAX_DEPTH) throw fuelFault(`values nest deeper than ${MAX_DEPTH}`);
  if (Array.isArray(value)) {
    rt.spend(value.length * 4 + LIST_COST);
    const items = Array.from(value, (item) => write(rt, item, indent, depth + 1));
    return layOut('[', items, ']', indent, depth);
  }
  const entries = isDict(value) ? dictEntries(value) : [];
  rt.spend(entries.length * 4 + LIST_COST);
  entries.sort(([a], [b]) => order(rt, a, b));
  const pairs = entries.map(
    ([key, item]) => `${jsonString(keyText(key))}: ${write(rt, item, indent, depth + 1)}`,
  );
  return layOut('{', pairs, '}', indent, depth);
}

function keyText(key: unknown): string {
  if (typeof key === 'string') return key;
  const text = scalar(key);
  if (text === undefined) throw typeFault(`a ${typeName(key)} cannot be a key in JSON`);
  return text;
}

function layOut(
  open: string,
  items: readonly string[],
  close: string,
  indent: number | undefined,
  depth: number,
): string {
  if (items.length === 0) return open + close;
  if (indent === undefined) return open + items.join(', ') + close;
  const margin = ' '.repeat(Math.max(0, indent) * (depth + 1));
  const end = ' '.repeat(Math.max(0, indent) * depth);
  return `${open}\n${margin}${items.join(`,\n${margin}`)}\n${end}${close}`;
}

function fromJson(rt: Runtime, value: unknown): unknown {
  const text = needString(value, 'the JSON');
  rt.spend(1 + text.length / 64);
  try {
    return asData(decodeJson(text));
  } catch (error) {
    throw valueFault(`this is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function b64encode(rt: Runtime, value: unknown): string {
  const bytes = new TextEncoder().encode(toText(rt, value));
  rt.produce(bytes.length * 2);
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(binary);
}

function b64decode(rt: Runtime, value: unknown): string {
  const text = needString(value, 'the base64 text');
  rt.produce(text.length);
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw valueFault('this is not base64 of UTF-8 text');
  }
}

/** Values are already loaded. Only a handle from `ref` is read here. */
function load(rt: Runtime, value: unknown): unknown {
  const reference = isHandle(value) ? referenceIn(value) : undefined;
  return reference ? settle(rt, reference, rt.at) : value;
}

function ref(rt: Runtime, value: unknown): unknown {
  if (isHandle(value)) return value;
  if (isReference(value) && !hasStoredParts(value)) return handleOf(value);
  if (!rt.host.store) throw new Fault('expr/host', 'the filter "ref" is not available here');
  return handleOf(rt.host.store(toNative(rt, settle(rt, value, rt.at))));
}

export const jsonFilters: Table = {
  b64decode: define('', b64decode),
  b64encode: define('', b64encode),
  from_json: define('', fromJson),
  fromjson: define('', fromJson),
  load: define('', load),
  ref: asStored(define('', ref)),
  tojson: define('indent', tojson),
};
