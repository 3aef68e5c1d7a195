/** Where the constructs of a playbook stand: its steps, and its tasks wherever they are. */
import type { YAMLMap } from 'yaml';
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
