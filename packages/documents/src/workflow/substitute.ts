/**
 * Replaces `{{ matrix.x }}` inside a stage by the value of its combination. All other braces stay as they are.
 *
 * A text that is nothing but one such reference becomes the value itself, so that `mem_mb: "{{ matrix.mem }}"` is a
 * number.
 */
import type { Diagnostic } from '@woof/net';
import type { Span } from '../yaml/source.ts';
import type { MapNode, Node, ScalarNode } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Combination } from './matrix.ts';
import type { Reading } from './reading.ts';

const REFERENCE = /\{\{-?\s*matrix\.(\w+)\s*-?\}\}/g;
/** These determine which stages there are, and when they run: nothing is substituted in them. */
const FIXED = ['stage_id', 'deps', 'if', 'matrix'];

/** A stage as one combination has it; without a combination, every reference is an error. */
export function substituteStage(reading: Reading, stage: MapNode, combination?: Combination): MapNode {
  if (!reading.hasReferences) return stage;
  const entries = new Map(stage.entries);
  for (const [key, entry] of stage.entries) {
    if (!FIXED.includes(key))
      entries.set(key, { ...entry, value: substitute(reading, entry.value, combination) });
  }
  return { ...stage, entries };
}

function substitute(reading: Reading, node: Node, combination: Combination | undefined): Node {
  if (node.type === 'scalar') return substituteText(reading, node, combination);
  if (node.type === 'list')
    return { ...node, items: node.items.map((item) => substitute(reading, item, combination)) };
  const entries = [...node.entries.values()].map((entry) => ({
    ...entry,
    value: substitute(reading, entry.value, combination),
  }));
  return { ...node, entries: new Map(entries.map((entry) => [entry.key, entry])) };
}

function substituteText(
  reading: Reading,
  node: ScalarNode,
  combination: Combination | undefined,
): ScalarNode {
  if (typeof node.value !== 'string' || !node.value.includes('{{')) return node;
  const valueFor = (key: string) => combination?.values.get(key) ?? refuse(reading, node, key, combination);
  const [whole] = node.value.matchAll(REFERENCE);
  if (whole && whole[0] === node.value) return valueFor(whole[1]!) ?? node;
  const value = node.value.replaceAll(REFERENCE, (text, key: string) => {
    const found = valueFor(key);
    return found ? reading.written(found) : text;
  });
  return { ...node, value };
}

function refuse(reading: Reading, node: ScalarNode, key: string, combination?: Combination): undefined {
  return reading.report(unknownKey(reading.span(node), key, combination));
}

/** A name that no combination has is reported once; one that only some have, for each that lacks it. */
export function unknownKey(at: Span, key: string, combination: Combination | undefined): Diagnostic {
  if (!combination) return problems.unknownMatrixKey(at, key, 'a stage without a matrix', []);
  const { suffix, names, values } = combination;
  return names.has(key)
    ? problems.unknownMatrixKey(at, key, `the combination ${suffix}`, [...values.keys()])
    : problems.unknownMatrixKey(at, key, 'the matrix of the stage', [...names]);
}
