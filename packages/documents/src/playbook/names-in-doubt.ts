/**
 * Which names cannot be judged in a document with errors.
 *
 * Refused parts are missing from the plan but may define names, so a name is unknown only if it occurs nowhere in the
 * document. And what is under a refused key may belong to another place, where other names can be read.
 */
import type { Diagnostic } from '@woof/net';
import { child, isNull, type MapNode, type Node, type ScalarNode, textOf } from '../yaml/tree.ts';
import { isIterator } from './loop.ts';
import type { Reading } from './reading.ts';

export interface Doubts {
  /** A part that is missing from the plan may define this name. */
  mayBeGiven(name: string): boolean;
  /** The template is under a refused key. */
  isAstray(template: ScalarNode): boolean;
}

export const NO_DOUBTS: Doubts = { mayBeGiven: () => false, isAstray: () => false };

/** Their values are names. */
const NAMING: ReadonlySet<string> = new Set(['step', 'name', 'iterator']);
/** Their keys are names. */
const GIVING: ReadonlySet<string> = new Set(['workload', 'set_ctx', 'set_vars', 'set_iter', 'set_shared']);
/** Labels of tasks that have none. */
const GENERATED = /^task_\d+$/;

/** Undefined if a place that defines names cannot be read, so that any name may be defined. */
export function doubtsOf(reading: Reading, root: MapNode, errors: readonly Diagnostic[]): Doubts | undefined {
  const names = new Set<string>();
  for (const { holder, key, value } of entriesOf(root)) {
    if (hidesNames(holder, key, value)) return undefined;
    names.add(key);
    if (NAMING.has(key) && value.type === 'scalar') names.add(String(value.value));
  }
  const mayBeGiven = (name: string) => names.has(name) || GENERATED.test(name);
  return { ...strayTemplates(reading, root, errors), mayBeGiven };
}

export function strayTemplates(reading: Reading, root: MapNode, errors: readonly Diagnostic[]): Doubts {
  const places = new Set(errors.map(({ line, column }) => `${line}:${column}`));
  const refused = [...entriesOf(root)].filter(({ at }) => places.has(reading.position(at).join(':')));
  const isAstray = ({ start }: ScalarNode) =>
    refused.some(({ value }) => value.start <= start && start < value.end);
  return { ...NO_DOUBTS, isAstray };
}

interface Held {
  holder: MapNode;
  key: string;
  at: { start: number; end: number };
  value: Node;
}

/** All entries of all maps, each once even if aliases share them. */
function* entriesOf(root: MapNode): Generator<Held> {
  const seen = new Set<Node>();
  const queue: Node[] = [root];
  for (let node = queue.pop(); node; node = queue.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.type === 'list') for (const item of node.items) queue.push(item);
    if (node.type !== 'map') continue;
    for (const { key, at, value } of node.entries.values()) {
      yield { holder: node, key, at, value };
      queue.push(value);
    }
  }
}

function hidesNames(holder: MapNode, key: string, value: Node): boolean {
  if (key === 'workflow')
    return value.type !== 'list' || value.items.some((step) => textAt(step, 'step') === '');
  if (key === 'loop') return !isIterator(textAt(value, 'iterator'));
  const isGiving = GIVING.has(key) || (key === 'args' && holder.entries.has('step'));
  return isGiving && value.type !== 'map' && !isNull(value);
}

/** Empty if there is none. */
function textAt(node: Node, key: string): string {
  return (node.type === 'map' && textOf(child(node, key))) || '';
}
