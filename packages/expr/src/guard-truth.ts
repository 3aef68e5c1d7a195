/** Owns: when a guard holds. Texts that say no count as no; everything else is Python's truth. */
import { truthy } from './compare.ts';

const FALSE_TEXTS: ReadonlySet<string> = new Set(['', 'no', 'none', 'null', 'off', 'false']);

export function guardTruth(value: unknown): boolean {
  return typeof value === 'string' ? !FALSE_TEXTS.has(value.trim().toLowerCase()) : truthy(value);
}
