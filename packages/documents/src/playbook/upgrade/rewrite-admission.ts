/** Rewrites `when` of a step as admission rules. */
import { isScalar } from 'yaml';
import { moveToSpec } from './add-to-spec.ts';
import { type Edit, pad, pieceOf, piecesOf, removal, rest, shifted } from './pieces.ts';
import { stepsOf } from './sites.ts';

export function rewriteAdmission(text: string, root: unknown): Edit[] {
  return stepsOf(root).flatMap((step) => {
    const holder = piecesOf(text, step);
    const piece = pieceOf(holder, 'when');
    if (piece === undefined) return [];
    // The key has no value, so it means nothing.
    if (piece.value === null || (isScalar(piece.value) && piece.value.value === null))
      return [removal(holder, piece)];
    const guard = rest(text, piece);
    const allow = '{allow: true}';
    const deny = '{allow: false}';
    return moveToSpec(text, holder, piece, {
      block: (column) => {
        const at = (by: number) => pad(column + by);
        const rules = `- when:${shifted(guard, column + 8 - holder.column)}\n${at(8)}then: ${allow}`;
        const otherwise = `- else:\n${at(10)}then: ${deny}`;
        return `policy:\n${at(2)}admit:\n${at(4)}rules:\n${at(6)}${rules}\n${at(6)}${otherwise}`;
      },
      flow: `policy: {admit: {rules: [{when:${guard}, then: ${allow}}, {else: {then: ${deny}}}]}}`,
    });
  });
}
