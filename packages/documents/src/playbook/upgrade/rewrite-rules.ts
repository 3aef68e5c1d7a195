/**
 * Rewrites rules of `eval`, `{expr, do, …}`, as `{when, then: {do, …}}`, and adds a final rule for what was implicit.
 */
import { isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import {
  asMap,
  columnOf,
  contentEnd,
  type Edit,
  pad,
  pieceOf,
  piecesOf,
  rest,
  shifted,
  shiftedLines,
} from './pieces.ts';
import { hasKey, tasksOf, valueAt } from './sites.ts';

export function rewriteRules(text: string, root: unknown): Edit[] {
  return tasksOf(root).flatMap((task) => {
    const list = valueAt(task, 'eval');
    if (!isSeq(list) || list.items.length === 0) return [];
    const rules = list.items.flatMap((item) => asMap(item) ?? []);
    const edits = rules.map((rule) => rewriteRule(text, rule));
    return rules.some((rule) => hasKey(rule, 'else')) ? edits : [...edits, ending(text, list)];
  });
}

function rewriteRule(text: string, rule: YAMLMap): Edit {
  const other = asMap(valueAt(rule, 'else'));
  if (other) return wrapped(text, other);
  return rule.flow ? flowRule(text, rule) : blockRule(text, rule);
}

function blockRule(text: string, rule: YAMLMap): Edit {
  const all = piecesOf(text, rule);
  const { column, pieces } = all;
  const condition = pieceOf(all, 'expr')!;
  const others = pieces.filter((piece) => piece !== condition);
  const then = others.map(
    (piece) =>
      `\n${shiftedLines(piece.above, 2)}${pad(column + 2)}${shifted(text.slice(piece.start, piece.end), 2)}`,
  );
  const head = `when:${rest(text, condition)}\n${condition.above}${pad(column)}then:`;
  return { from: pieces[0]!.start, to: pieces.at(-1)!.end, text: head + then.join('') };
}

function flowRule(text: string, rule: YAMLMap): Edit {
  const all = piecesOf(text, rule);
  const condition = pieceOf(all, 'expr')!;
  const others = all.pieces.filter((piece) => piece !== condition);
  const then = others.map(({ start, end }) => text.slice(start, end)).join(', ');
  const { 0: from, 1: to } = rule.range!;
  return { from, to, text: `{when:${rest(text, condition)}, then: {${then}}}` };
}

/** A directive under `then`. */
function wrapped(text: string, directive: YAMLMap): Edit {
  const { 0: start, 1: end } = directive.range!;
  if (directive.flow) return { from: start, to: end, text: `{then: ${text.slice(start, end)}}` };
  const { pieces, column } = piecesOf(text, directive);
  const [from, to] = [pieces[0]!.start, pieces.at(-1)!.end];
  return { from, to, text: `then:\n${pad(column + 2)}${shifted(text.slice(from, to), 2)}` };
}

/** If no rule matched, `eval` continued after success and failed after an error; rules continue after both. */
function ending(text: string, list: YAMLSeq): Edit {
  const failed = `when: "{{ outcome.status == 'error' }}"`;
  if (list.flow) {
    const at = text.lastIndexOf(']', list.range![1]);
    const before = text.slice(0, at).trimEnd().length;
    return {
      from: before,
      to: before,
      text: `, {${failed}, then: {do: fail}}, {else: {then: {do: continue}}}`,
    };
  }
  const last = list.items.at(-1) as Node;
  const dash = pad(columnOf(text, text.lastIndexOf('-', last.range![0] - 1)));
  const map = asMap(last);
  const end =
    map && !map.flow ? piecesOf(text, map).pieces.at(-1)!.end : endOfLine(text, contentEnd(text, last));
  const rules = `\n${dash}- ${failed}\n${dash}  then: {do: fail}\n${dash}- else:\n${dash}    then: {do: continue}`;
  return { from: end, to: end, text: rules };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}
