/** Owns: pprint: the repr on one line if it fits into 80 columns, otherwise one item per line; dict keys are sorted. */
import { order } from '../compare.ts';
import type { Runtime } from '../runtime.ts';
import { repr } from '../text.ts';
import { Dict, dictEntries, isDict, listOf, Tuple, tupleOf, View } from '../values.ts';

const WIDTH = 80;
const MAX_DEPTH = 50;

export const prettyPrint = (rt: Runtime, value: unknown): string =>
  layOut(rt, ordered(rt, value, 0), 0, 0, 0);

/** The same value with the keys of its dicts sorted. */
function ordered(rt: Runtime, value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  rt.spend();
  if (value instanceof Tuple) return tupleOf(Array.from(value, (item) => ordered(rt, item, depth + 1)));
  if (Array.isArray(value) && !(value instanceof View))
    return listOf(Array.from(value, (item) => ordered(rt, item, depth + 1)));
  if (!isDict(value)) return value;
  const entries = dictEntries(value).sort(([a], [b]) => (typeof a === typeof b ? order(rt, a, b) : 0));
  return Dict.from(entries.map(([key, item]) => [key, ordered(rt, item, depth + 1)] as const));
}

/** `after` counts the closing brackets that must also fit on the last line. */
function layOut(rt: Runtime, value: unknown, indent: number, after: number, depth: number): string {
  const line = repr(rt, value);
  if (line.length <= WIDTH - indent - after || depth > MAX_DEPTH) return line;
  const separator = `,\n${' '.repeat(indent + 1)}`;
  if (isDict(value)) {
    const entries = dictEntries(value);
    const parts = entries.map(([key, item], index) => {
      const name = `${repr(rt, key)}: `;
      const closing = index === entries.length - 1 ? after + 1 : 1;
      return name + layOut(rt, item, indent + 1 + name.length, closing, depth + 1);
    });
    return `{${parts.join(separator)}}`;
  }
  if (!Array.isArray(value) || value instanceof View) return line;
  const parts = Array.from(value, (item, index) =>
    layOut(rt, item, indent + 1, index === value.length - 1 ? after + 1 : 1, depth + 1),
  );
  const [open, close] = value instanceof Tuple ? ['(', value.length === 1 ? ',)' : ')'] : ['[', ']'];
  return open + parts.join(separator) + close;
}
