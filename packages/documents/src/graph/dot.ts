/** A graph in Graphviz's language. Everything that comes from a document is a quoted string. */
import type { Graph } from './graph.ts';

const SHAPES: Record<string, string> = { loop: 'box3d', route: 'diamond' };

export function drawDot(graph: Graph): string {
  const ids = new Map(graph.nodes.map((node, i) => [node.id, `n${i}`]));
  const nodes = graph.nodes.map((node) => {
    const isShaped = Object.hasOwn(SHAPES, node.type);
    const label = isShaped ? quote(node.id) : quote(`${node.id}\n${node.type}`);
    return `  ${ids.get(node.id)} [label=${label}, shape=${isShaped ? SHAPES[node.type] : 'box'}];`;
  });
  const edges = graph.edges.map(({ from, to, label }) => {
    const text = label === undefined ? '' : ` [label=${quote(label)}]`;
    return `  ${ids.get(from)} -> ${ids.get(to)}${text};`;
  });
  return `${['digraph {', ...nodes, ...edges, '}'].join('\n')}\n`;
}

/** The backslash is doubled because labels have escapes of their own, such as `\N`. */
function quote(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/\r\n|[\r\n]/g, '\\n');
  return `"${escaped.replaceAll('\0', ' ')}"`;
}
