/** Where the constructs of a playbook are: its steps, and its tasks wherever they are. */
import { isPair, type Scalar, visit, type YAMLMap } from 'yaml';
import { keyOf } from '../../yaml/settle.ts';
import { asItems, asMap } from './pieces.ts';

export function stepsOf(root: unknown): YAMLMap[] {
  return asItems(valueAt(asMap(root), 'workflow')).flatMap((item) => asMap(item) ?? []);
}

export function tasksOf(root: unknown): YAMLMap[] {
  return [...stepsOf(root).flatMap((step) => tasksIn(valueAt(step, 'tool'))), ...blocksOf(root)];
}

/** One task, a list of tasks, or a list of `label: task`. */
function tasksIn(tool: unknown): YAMLMap[] {
  const single = asMap(tool);
  const items = single ? [single] : asItems(tool).flatMap((item) => asMap(item) ?? []);
  return items.flatMap((item) => {
    if (item.items.some((pair) => keyOf(pair) === 'kind')) return [item];
    return item.items.flatMap((pair) => asMap(pair.value) ?? []);
  });
}

function blocksOf(root: unknown): YAMLMap[] {
  const workbook = valueAt(asMap(root), 'workbook');
  const map = asMap(workbook);
  const entries = map ? map.items.map((pair) => pair.value) : asItems(workbook);
  return entries.flatMap((entry) => {
    const block = asMap(entry);
    const tool = asMap(valueAt(block, 'tool'));
    return tool ?? block ?? [];
  });
}

export function valueAt(map: YAMLMap | undefined, key: string): unknown {
  return map?.items.find((pair) => keyOf(pair) === key)?.value;
}

export function hasKey(map: YAMLMap | undefined, key: string): boolean {
  return map?.items.some((pair) => keyOf(pair) === key) ?? false;
}

/** `next: {step: b}`: a single arc instead of a list. */
export function isLoneArc(next: unknown): next is YAMLMap {
  const map = asMap(next);
  return hasKey(map, 'step') && map!.items.every((pair) => ['step', 'when', 'args'].includes(keyOf(pair)));
}

export interface Text {
  node: Scalar<string>;
  /** It is a condition: an expression even without braces. */
  isGuard: boolean;
}

const GUARDS = ['expr', 'when'];

/** All values that are text, without keys. */
export function textsOf(root: unknown): Text[] {
  const found: Text[] = [];
  visit(root as Scalar, {
    Scalar: (key, node, path) => {
      if (key === 'key' || typeof node.value !== 'string') return;
      const parent = path.at(-1);
      found.push({ node: node as Scalar<string>, isGuard: isPair(parent) && GUARDS.includes(keyOf(parent)) });
    },
  });
  return found;
}
