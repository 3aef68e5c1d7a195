/** The names of a cell in R, as far as a quick scan of its text can tell: enough to find those of other languages. */
import type { CellNames } from '../cell-names.ts';

const STRINGS_AND_COMMENTS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|#.*/g;
const ASSIGNED = /([A-Za-z.][\w.]*)\s*(?:<<?-|=(?!=))|->>?\s*([A-Za-z.][\w.]*)|\bfor\s*\(\s*([\w.]+)\s+in\b/g;
const PARAMETERS = /\bfunction\s*\(([^)]*)\)/g;
/** Neither a member, nor a call, nor the name of an argument or a package. */
const USED = /(?<![\w.$@:])([A-Za-z.][\w.]*)(?![\w.])(?!\s*(?:\(|=(?!=)|<<?-|::))/g;
const OPENING = /\b(?:assign|attach|eval|load|source|with|within)\s*\(/;

export function rNames(code: string): CellNames {
  // Of the same length, so that offsets stay valid.
  const text = code.replace(STRINGS_AND_COMMENTS, (piece) => ' '.repeat(piece.length));
  const defined = new Set(
    [...text.matchAll(ASSIGNED)].map(([, left, right, each]) => left ?? right ?? each!),
  );
  for (const [, list = ''] of text.matchAll(PARAMETERS))
    for (const parameter of list.split(',')) defined.add(parameter.split('=')[0]!.trim());
  const used = new Map<string, number>();
  for (const { 1: name = '', index } of text.matchAll(USED))
    if (!defined.has(name) && !used.has(name)) used.set(name, index);
  return { defined, used, isOpen: OPENING.test(text) };
}
