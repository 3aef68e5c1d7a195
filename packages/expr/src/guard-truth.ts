/** Owns: when a guard holds. Texts that say no count as no; everything else is Python's truth. */
import { truthOf, truthy } from './compare.ts';
import { isReference, settle, storedLength } from './reference.ts';
import type { Runtime } from './runtime.ts';

const FALSE_TEXTS: ReadonlySet<string> = new Set(['', 'no', 'none', 'null', 'off', 'false']);

const isYes = (text: string): boolean => !FALSE_TEXTS.has(text.trim().toLowerCase());

/** Of what is not stored. */
export const plainGuardTruth = (value: unknown): boolean =>
  typeof value === 'string' ? isYes(value) : truthy(value);

export function guardTruth(rt: Runtime, value: unknown): boolean {
  const isText = isReference(value) && storedLength(value) === undefined;
  const whole = isText ? settle(rt, value, rt.at) : value;
  return typeof whole === 'string' ? isYes(whole) : truthOf(rt, whole);
}
