/** Owns: values that leave an evaluation. */
import { need, type Runtime } from './runtime.ts';
import { fuelFault, typeFault } from './template-error.ts';
import { toText } from './text.ts';
import { type Dict, dictEntries, Float, isAbsent, isDict, isPlain, Opaque, typeName } from './values.ts';

const MAX_DEPTH = 200;

export function toNative(rt: Runtime, value: unknown, depth = 0): unknown {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null)
    return value;
  if (value instanceof Float) return value.value;
  if (typeof value === 'bigint') return value.toString();
  need(value);
  if (isAbsent(value)) return null;
  if (value instanceof Opaque) throw typeFault(`a ${typeName(value)} cannot be the value of a template`);
  if (depth > MAX_DEPTH) throw fuelFault(`values nest deeper than ${MAX_DEPTH}`);
  rt.spend();
  if (Array.isArray(value)) return Array.from(value, (item) => toNative(rt, item, depth + 1));
  return toObject(rt, value as Dict, depth);
}

function toObject(rt: Runtime, dict: Dict, depth: number): unknown {
  const object: Record<string, unknown> = {};
  for (const [key, value] of dictEntries(dict)) {
    const name = toText(rt, key);
    Object.defineProperty(object, name, {
      value: toNative(rt, value, depth + 1),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return object;
}

export { isDict, isPlain };

export function fromText(text: string): unknown {
  return text;
}
