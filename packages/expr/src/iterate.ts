/** Owns: what can be iterated and how long it is. Items of the scope's arrays are not copied. */
import { need, type Runtime } from './runtime.ts';
import { typeFault } from './template-error.ts';
import { Dict, dictEntries, dictKeys, isDict, Opaque, typeName } from './values.ts';

/** An object that can be iterated: `range`. */
export abstract class Sequence extends Opaque {
  abstract readonly length: number;
  abstract at(index: number): unknown;
}

/** The items of a value. Pays their fuel. */
export function iterate(rt: Runtime, value: unknown): readonly unknown[] {
  const items = itemsOf(rt, need(value));
  if (!items) throw typeFault(`cannot loop over ${typeName(value)}`, 'it must be a list, a dict or a string');
  rt.spend(items.length + 1);
  return items;
}

function itemsOf(rt: Runtime, value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') {
    rt.spend(value.length);
    return Array.from(value);
  }
  if (isDict(value)) return dictKeys(value);
  if (value instanceof Sequence) {
    rt.spend(value.length);
    rt.produce(value.length);
    return itemsOfSequence(value);
  }
  return undefined;
}

/** V8 takes ten times as long for `Array.from` with a function. */
function itemsOfSequence(sequence: Sequence): unknown[] {
  const { length } = sequence;
  const items = new Array<unknown>(length);
  for (let index = 0; index < length; index++) items[index] = sequence.at(index);
  return items;
}

export const isIterable = (value: unknown): boolean =>
  Array.isArray(value) || typeof value === 'string' || isDict(value) || value instanceof Sequence;

export function lengthOf(value: unknown): number {
  if (typeof value === 'string') return textLength(value);
  if (Array.isArray(value) || value instanceof Sequence) return value.length;
  if (value instanceof Dict) return value.size;
  if (isDict(value)) return dictEntries(value).length;
  throw typeFault(`${typeName(value)} has no length`);
}

const PAIRED = /[\ud800-\udfff]/;

/** Whether counting and slicing must work by code point. Other text takes the fast path. */
export const hasPairs = (text: string): boolean => PAIRED.test(text);

export function textLength(text: string): number {
  if (!hasPairs(text)) return text.length;
  let length = 0;
  for (let at = 0; at < text.length; length++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return length;
}
