import type { Scope } from './runtime.ts';

/** A scope over the own keys of an object, by reference. */
export function scopeOf(values: Record<string, unknown>): Scope {
  return { get: (name) => (Object.hasOwn(values, name) ? values[name] : undefined) };
}
