/** JSON in canonical form: keys in order, an indent of two blanks, every value as written. */
import { type MapShape, rank, resolve, type Shape, shapeUnder } from './key-order.ts';
import { parseJson } from './parse-json.ts';
import type { Entry, MapNode, Node } from './tree.ts';

/** Undefined if the text is not JSON: then it is YAML, even in braces. */
export function formatJson(text: string, shape: MapShape): string | undefined {
  const root = parseJson(text);
  return root && `${print(root, shape, text, '')}\n`;
}

function print(node: Node, shape: Shape, text: string, indent: string): string {
  if (node.type === 'scalar') return text.slice(node.start, node.end);
  const inner = `${indent}  `;
  const parts =
    node.type === 'list'
      ? node.items.map((item) => print(item, shape, text, inner))
      : printEntries(node, shape, text, inner);
  const [open, close] = node.type === 'list' ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

function printEntries(node: MapNode, shape: Shape, text: string, indent: string): string[] {
  const own = resolve(shape, [...node.entries.keys()]);
  const ordered = [...node.entries.values()].sort((a, b) => rank(own, a.key) - rank(own, b.key));
  const key = ({ at }: Entry) => text.slice(at.start, at.end);
  return ordered.map(
    (entry) => `${key(entry)}: ${print(entry.value, shapeUnder(own, entry.key), text, indent)}`,
  );
}
