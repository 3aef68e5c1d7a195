/** A graph as a Mermaid flowchart. Ids are generated (`n0`), so that a step's name only ever appears as quoted text. */
import type { Graph } from './graph.ts';

/** Characters that Mermaid reads as markup even in quotes are written as character codes. */
const SPECIAL = /[^\p{L}\p{N} _.,:!?=+*/()[\]{}|'-]/gu;
const SHAPES: Record<string, [string, string]> = { loop: ['[["', '"]]'], route: ['{"', '"}'] };

export function drawMermaid(graph: Graph): string {
  const ids = new Map(graph.nodes.map((node, i) => [node.id, `n${i}`]));
  const nodes = graph.nodes.map((node) => {
    const [open, close] = Object.hasOwn(SHAPES, node.type) ? SHAPES[node.type]! : ['["', '"]'];
    const type = Object.hasOwn(SHAPES, node.type) ? '' : `<br/>${escapeText(node.type)}`;
    return `  ${ids.get(node.id)}${open}${escapeText(node.id)}${type}${close}`;
  });
  const edges = graph.edges.map(({ from, to, label }) => {
    const text = label === undefined ? '' : `|"${escapeText(label)}"|`;
    return `  ${ids.get(from)} -->${text} ${ids.get(to)}`;
  });
  return `${['flowchart TD', ...nodes, ...edges].join('\n')}\n`;
}

function escapeText(text: string): string {
  return text.replaceAll(SPECIAL, (char) => `#${char.codePointAt(0)};`) || ' ';
}
