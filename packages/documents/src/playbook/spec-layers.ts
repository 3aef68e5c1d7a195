/**
 * The effective spec of a task: kind defaults, executor, step, loop and task layers, where the inner layer wins. Each
 * layer keeps what belongs to its own scope: policies everywhere, `join`, a loop's mode and cap.
 */
import { isTemplate } from '@woof/expr';
import { isObject, type Json, type JsonObject, mergeLayers, type ToolSchema } from '@woof/net';
import { type MapNode, mapToJson, type Node } from '../yaml/tree.ts';
import { problems } from './diagnostics.ts';
import type { Reading } from './reading.ts';
import { checkTemplates } from './templates.ts';

/** Every task of a plan contains its whole spec, so large outer layers multiply. */
const MAX_INHERITED = 2_000_000;

export interface Layer {
  node: MapNode;
  /** Keys that stay at this scope. */
  own: readonly string[];
}

export function layerOf(reading: Reading, node: MapNode | undefined, own: readonly string[]): Layer[] {
  if (!node) return [];
  checkTemplates(reading, node);
  return [{ node, own: ['policy', ...own] }];
}

export function effectiveSpec(
  reading: Reading,
  schema: ToolSchema | undefined,
  layers: readonly Layer[],
  path: string,
): JsonObject {
  const isWithin = reading.inherited <= MAX_INHERITED;
  for (const layer of layers) reading.inherited += layer.node.size;
  if (reading.inherited > MAX_INHERITED) {
    if (isWithin) reading.report(problems.specTooLarge(reading.span(layers[0]!.node), MAX_INHERITED));
    return {};
  }
  const spec = mergeLayers(schema?.defaults, ...layers.map(layerValue));
  recordPlaces(reading, spec, [], layers, path);
  return spec;
}

function layerValue(layer: Layer): JsonObject {
  const value = mapToJson(layer.node);
  for (const key of layer.own) delete value[key];
  return value;
}

function recordPlaces(
  reading: Reading,
  value: Json,
  keys: string[],
  layers: readonly Layer[],
  path: string,
): void {
  if (typeof value === 'string') {
    if (isTemplate(value)) recordPlace(reading, value, keys, layers, path);
  } else if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) recordPlaces(reading, item, [...keys, String(i)], layers, path);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value))
      recordPlaces(reading, item, [...keys, key], layers, path);
  }
}

/** The recorded place is that of the innermost layer that sets the value. */
function recordPlace(
  reading: Reading,
  text: string,
  keys: string[],
  layers: readonly Layer[],
  path: string,
): void {
  for (const layer of layers.toReversed()) {
    const node = follow(layer.node, keys);
    if (node?.type !== 'scalar' || node.value !== text) continue;
    reading.placeTemplate([path, ...keys].join('/'), node);
    return;
  }
}

function follow(node: Node | undefined, keys: readonly string[]): Node | undefined {
  let at = node;
  for (const key of keys) at = at?.type === 'map' ? at.entries.get(key)?.value : listItem(at, key);
  return at;
}

function listItem(node: Node | undefined, key: string): Node | undefined {
  return node?.type === 'list' ? node.items[Number(key)] : undefined;
}
