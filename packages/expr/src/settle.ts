/** Owns: reading stored values for templates that look into them. */
import { hintIn, type Reference, settled, storedField } from './reference.ts';
import type { Runtime } from './runtime.ts';
import { Fault, type Span, written } from './template-error.ts';
import { oversize } from './value-size.ts';

/** The complete value, with stored values in place of references at every level. */
export function settle(rt: Runtime, value: unknown, at: Span): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const error = oversize(value, rt.host.loadableBytes);
  if (error) throw unloadable(at, error);
  return settled(value, (reference) => load(rt, reference, at));
}

/** The stored value, whose own parts may still be references. */
export function load(rt: Runtime, reference: Reference, at: Span): unknown {
  if (!rt.host.load) throw new Fault('expr/host', 'this template cannot read stored values', undefined, at);
  try {
    return rt.host.load(reference) ?? null;
  } catch (error) {
    throw unloadable(at, error);
  }
}

/** Whether the stored value is an object with this key. */
export function hasStoredField(rt: Runtime, reference: Reference, key: string, at: Span): boolean {
  const { type } = hintIn(reference);
  if (type === 'list' || type === 'string') return false;
  const field = storedField(reference, key);
  if (field !== 'unknown') return 'value' in field;
  const value = load(rt, reference, at);
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, key);
}

function unloadable(at: Span, error: unknown): Fault {
  const why = error instanceof Error ? error.message : String(error);
  return new Fault('expr/host', `"${written(at)}" cannot be loaded: ${why}`, undefined, at, error);
}
