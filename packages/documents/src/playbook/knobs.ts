/** The named settings of `spec`, in one table: what each scope may set, and what each contains. */

import { isTemplate } from '@woof/expr';
import { didYouMean } from '@woof/expr/nearest';
import { MOST_INLINE_BYTES } from '@woof/net';
import { describe } from '../yaml/reading.ts';
import { child, type MapNode, type Node } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';

type Knob = 'number' | 'boolean' | 'any' | 'map' | 'store' | { [inner: string]: Knob };

const KNOBS: { [name: string]: Knob } = {
  timeout: 'number',
  http: { timeout: { connect: 'number', read: 'number' }, max_bytes: 'number' },
  memory_mb: 'number',
  env: 'map',
  io_policy: { allow_files: 'boolean', allow_network: 'boolean', allow_shell: 'boolean' },
  result: { store: 'store', inline_max_bytes: 'number' },
  limit: { key: 'any', concurrency: 'number', per_second: 'number' },
};

const MOST: { [name: string]: number } = { 'result.inline_max_bytes': MOST_INLINE_BYTES };

/** `own`: the settings of this scope alone, e.g. `join` of a step. */
export function checkKnobs(
  reading: Reading,
  spec: MapNode | undefined,
  what: string,
  own: readonly string[],
): void {
  if (!spec) return;
  const ofTools = [...reading.kinds.values()].flatMap(({ defaults }) => Object.keys(defaults ?? {}));
  const known = [...Object.keys(KNOBS), ...own, ...ofTools];
  for (const { key, at, value } of spec.entries.values()) {
    if (key.startsWith('x-')) continue;
    if (!known.includes(key)) reading.report(problems.unknownKnob(reading.span(at), key, what, known));
    else if (Object.hasOwn(KNOBS, key)) checkKnob(reading, value, KNOBS[key]!, key);
  }
}

function checkKnob(reading: Reading, node: Node, knob: Knob, name: string): void {
  if (knob === 'any' || isTemplated(node)) return;
  if (typeof knob === 'object') checkInner(reading, node, knob, name);
  else if (knob === 'map') reading.takeMap(node, name);
  else if (knob === 'store') checkStore(reading, node, name);
  else if (node.type !== 'scalar' || typeof node.value !== knob) {
    reading.report(problems.wrongType(reading.span(node), name, `a ${knob}`, describe(node)));
  } else if (typeof node.value === 'number') checkRange(reading, node, node.value, name);
}

function checkRange(reading: Reading, node: Node, value: number, name: string): void {
  const most = MOST[name] ?? Infinity;
  if (value >= 0 && value <= most) return;
  const range = most === Infinity ? 'a number of at least 0' : `a number from 0 to ${most}`;
  reading.report(problems.badNumber(reading.span(node), name, range, String(value)));
}

function checkInner(reading: Reading, node: Node, knob: { [inner: string]: Knob }, name: string): void {
  // A single number in place of a map, as in `http: {timeout: 30}`, is for the tool to judge.
  if (node.type === 'scalar' && typeof node.value === 'number') return;
  const map = reading.takeMap(node, name);
  if (!map) return;
  const known = Object.keys(knob);
  for (const { key, at } of map.entries.values()) {
    const value = child(map, key);
    if (!Object.hasOwn(knob, key)) reading.report(problems.unknownKnob(reading.span(at), key, name, known));
    else if (value) checkKnob(reading, value, knob[key]!, `${name}.${key}`);
  }
}

/** A kind alone, or a map of the kind and its fields. */
function checkStore(reading: Reading, node: Node, name: string): void {
  const map = node.type === 'scalar' ? undefined : reading.takeMap(node, name);
  const kind = map ? child(map, 'kind') : node;
  if (node.type !== 'scalar' && !map) return;
  const word = kind?.type === 'scalar' ? kind.value : undefined;
  const { resultStores: stores } = reading;
  if (stores === undefined || (kind && isTemplated(kind))) return;
  if (typeof word !== 'string' || !Object.hasOwn(stores, word)) {
    const wanted = `one of ${Object.keys(stores).join(', ')}`;
    const got = kind ? describe(kind) : 'nothing';
    const hint = typeof word === 'string' ? didYouMean(word, Object.keys(stores)) : undefined;
    reading.report(problems.wrongType(reading.span(kind ?? node), `${name}.kind`, wanted, got, hint));
    return;
  }
  const known = ['kind', ...Object.keys(stores[word]!.fields)];
  for (const { key, at } of map?.entries.values() ?? [])
    if (!known.includes(key)) reading.report(problems.unknownKnob(reading.span(at), key, name, known));
}

function isTemplated(node: Node): boolean {
  return node.type === 'scalar' && typeof node.value === 'string' && isTemplate(node.value);
}
