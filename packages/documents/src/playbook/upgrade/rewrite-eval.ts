/** Rewrites `eval` of a task as `spec.policy.rules`; its rules are rewritten before. */
import { isSeq } from 'yaml';
import { moveToSpec } from './add-to-spec.ts';
import { type Edit, pad, pieceOf, piecesOf, removal, rest, shifted } from './pieces.ts';
import { tasksOf } from './sites.ts';

export function rewriteEval(text: string, root: unknown): Edit[] {
  return tasksOf(root).flatMap((task) => {
    const holder = piecesOf(text, task);
    const piece = pieceOf(holder, 'eval');
    if (piece === undefined) return [];
    // An empty list means the same as no rules.
    if (!isSeq(piece.value) || piece.value.items.length === 0) return [removal(holder, piece)];
    const written = rest(text, piece);
    return moveToSpec(text, holder, piece, {
      block: (column) => `policy:\n${pad(column + 2)}rules:${shifted(written, column + 2 - holder.column)}`,
      flow: `policy: {rules:${written}}`,
    });
  });
}
