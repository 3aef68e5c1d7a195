/**
 * The tree that documents are read from: JSON values with their positions in the source.
 *
 * Aliases are shared nodes, so the tree is a DAG; `size` and `depth` count it as if it were written out, and `readTree`
 * refuses a tree that exceeds the limits, so every walk over it is bounded.
 */
import { define, type Float, type Json, type JsonObject } from '@woof/net';

interface Place {
  /** Offsets in the source; `end` is exclusive. */
  start: number;
  end: number;
  size: number;
  depth: number;
}

export interface ScalarNode extends Place {
  type: 'scalar';
  value: string | number | boolean | null;
  /** The number, if it is a float without a fraction or an int that `value` cannot hold. */
  exact?: bigint | Float;
  style: 'plain' | 'single' | 'double' | 'block';
}

export interface ListNode extends Place {
  type: 'list';
  items: Node[];
}

export interface MapNode extends Place {
  type: 'map';
  entries: Map<string, Entry>;
}

export interface Entry {
  key: string;
  /** The position of the key. */
  at: { start: number; end: number };
  value: Node;
}

export type Node = ScalarNode | ListNode | MapNode;

export function toJson(node: Node): Json {
  if (node.type === 'scalar') return node.exact ?? node.value;
  if (node.type === 'list') return node.items.map(toJson);
  return mapToJson(node);
}

export function mapToJson(node: MapNode): JsonObject {
  const value: JsonObject = {};
  for (const { key, value: child } of node.entries.values()) define(value, key, toJson(child));
  return value;
}

/** The value under a key; a key without a value counts as absent. */
export function child(map: MapNode | undefined, key: string): Node | undefined {
  const value = map?.entries.get(key)?.value;
  return value === undefined || isNull(value) ? undefined : value;
}

export function isNull(node: Node): boolean {
  return node.type === 'scalar' && node.value === null;
}

export function textOf(node: Node | undefined): string | undefined {
  return node?.type === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

/** Visits every scalar with the path that leads to it. */
export function eachScalar(node: Node, path: string, visit: (node: ScalarNode, path: string) => void): void {
  if (node.type === 'scalar') visit(node, path);
  else if (node.type === 'list')
    for (const [i, item] of node.items.entries()) eachScalar(item, `${path}/${i}`, visit);
  else for (const entry of node.entries.values()) eachScalar(entry.value, `${path}/${entry.key}`, visit);
}

/** The extent of a collection of these values, with aliases counted as written out. */
export function extentOf(values: readonly Node[]): { size: number; depth: number } {
  let size = 1;
  let depth = 0;
  for (const value of values) {
    size += value.size;
    depth = Math.max(depth, value.depth);
  }
  return { size, depth: depth + 1 };
}
