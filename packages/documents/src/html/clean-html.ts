/** Makes untrusted HTML passive: only what `allowed-html.ts` names remains. */
import { parseFragment, serialize, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { isAllowedAttribute, verdictOn } from './allowed-html.ts';

/** A browser would give up earlier. */
const DEEPEST = 500;

export function cleanHtml(html: string): string {
  const root = parseFragment(html);
  root.childNodes = cleanNodes(root.childNodes, 0);
  return serialize(root);
}

function cleanNodes(nodes: readonly Tree.ChildNode[], depth: number): Tree.ChildNode[] {
  return depth > DEEPEST ? [] : nodes.flatMap((node) => cleanNode(node, depth));
}

function cleanNode(node: Tree.ChildNode, depth: number): Tree.ChildNode[] {
  if (node.nodeName === '#text') return [node];
  if (!('tagName' in node)) return [];
  const verdict = verdictOn(node.tagName);
  if (verdict === 'drop') return [];
  const inner = cleanNodes(node.childNodes, depth + 1);
  if (verdict === 'open') return inner;
  node.attrs = node.attrs.filter(({ name, value }) => isAllowedAttribute(node.tagName, name, value));
  node.childNodes = inner;
  return [node];
}
