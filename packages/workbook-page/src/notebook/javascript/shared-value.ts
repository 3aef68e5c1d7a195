/** A value of a JavaScript cell as other languages receive it: the same as from the kernel (`javascript-json.cjs`). */
import { Float } from '@woof/net';

export function sharedValue(value: unknown): unknown {
  if (typeof value === 'number') return isExact(value) ? value : new Float(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sharedValue);
  if (value instanceof Set || isTypedArray(value)) return Array.from(value, sharedValue);
  if (value instanceof Map) return sharedMap([...value]);
  if ('toJSON' in value) return value;
  if (value instanceof Number || value instanceof String || value instanceof Boolean)
    return sharedValue(value.valueOf());
  return withValues(Object.entries(value));
}

const isExact = (value: number) => !Number.isInteger(value) || Number.isSafeInteger(value);

const isTypedArray = (value: object): value is Uint8Array =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);

function sharedMap(entries: [unknown, unknown][]): unknown {
  const isText = (entry: [unknown, unknown]): entry is [string, unknown] => typeof entry[0] === 'string';
  return entries.every(isText) ? withValues(entries) : entries.map(sharedValue);
}

const withValues = (entries: [string, unknown][]) =>
  Object.fromEntries(entries.map(([key, item]) => [key, sharedValue(item)]));
