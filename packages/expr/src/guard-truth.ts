/** Owns: when a guard holds. Texts such as "no" and "0" are false. Everything else follows Python's truth. */
import { truthOf, truthy } from './compare.ts';
import { isReference, storedLength } from './reference.ts';
import type { Runtime } from './runtime.ts';
import { settle } from './settle.ts';

/** Those that NoETL's conditions, which compare texts, take as false. */
const FALSE_TEXTS: ReadonlySet<string> = new Set(['', 'no', 'none', 'null', 'off', 'false', '0', '{}', '[]']);

const isYes = (text: string): boolean => !FALSE_TEXTS.has(text.trim().toLowerCase());

/** For a value that is not stored. */
export const plainGuardTruth = (value: unknown): boolean =>
  typeof value === 'string' ? isYes(value) : truthy(value);

export function guardTruth(rt: Runtime, value: unknown): boolean {
  const isText = isReference(value) && storedLength(value) === undefined;
  const whole = isText ? settle(rt, value, rt.at) : value;
  return typeof whole === 'string' ? isYes(whole) : truthOf(rt, whole);
}
