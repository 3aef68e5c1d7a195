/** Quotes bare words, so that a playbook in JSON stays JSON. */
import { isScalar, type Node, Scalar, visit } from 'yaml';
import type { Edit } from './pieces.ts';

export function quoteWords(root: unknown): Edit[] {
  const edits: Edit[] = [];
  visit(root as Node, {
    Scalar: (_key, node) => {
      if (!isScalar(node) || node.type !== Scalar.PLAIN || typeof node.value !== 'string') return;
      edits.push({ from: node.range![0], to: node.range![1], text: JSON.stringify(node.value) });
    },
  });
  return edits;
}
