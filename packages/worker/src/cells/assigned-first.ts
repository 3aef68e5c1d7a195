/**
 * The names that a Python cell assigns before its text mentions them: nothing in the cell reads what they held before.
 *
 * Only assignments that are certain to run count, each on a line of its own at the margin. Reading ends at the first line that is
 * not surely a whole statement: what follows a block, an open bracket or a long string may be a part of it.
 */
const NAME = '[A-Za-z_]\\w*';
const ASSIGNMENT = new RegExp(`^(${NAME}(?:[ \\t]*,[ \\t]*${NAME})*)[ \\t]*=(?!=)(.*)$`);
const EMPTY = /^[ \t]*(?:#.*)?$/;
/** Text, brackets and the rest, without what may begin a block or go on in the next line. */
const PIECE = /'(?!'')[^'\\]*'|"(?!"")[^"\\]*"|#.*$|[([{]|[)\]}]|[^'"#()[\]{}\\:]|:/gy;

export function assignedFirst(text: string, wordsIn: (text: string) => readonly string[]): Set<string> {
  const assigned = new Set<string>();
  const mentioned = new Set<string>();
  for (const line of text.split('\n')) {
    if (EMPTY.test(line)) continue;
    if (!isWhole(line)) break;
    const [, targets = '', value = line] = ASSIGNMENT.exec(line) ?? [];
    for (const word of wordsIn(value)) mentioned.add(word);
    for (const name of wordsIn(targets)) {
      if (!mentioned.has(name)) assigned.add(name);
    }
    for (const name of wordsIn(targets)) mentioned.add(name);
  }
  return assigned;
}

/** Whether a line is surely one or more statements, and none of them a block. */
function isWhole(line: string): boolean {
  if (!/^[A-Za-z_("'[{]/.test(line)) return false;
  let depth = 0;
  let length = 0;
  for (const [piece] of line.matchAll(PIECE)) {
    length += piece.length;
    if ('([{'.includes(piece)) depth++;
    if (')]}'.includes(piece)) depth--;
    if (depth < 0 || (depth === 0 && piece === ':')) return false;
  }
  return depth === 0 && length === line.length;
}
