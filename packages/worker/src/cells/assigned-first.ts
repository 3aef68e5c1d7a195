/**
 * The names that a Python cell assigns or imports before its text mentions them: nothing in the cell reads what they held
 * before.
 *
 * Only simple statements at the margin count, because they are certain to run. Brackets may span several lines. Reading
 * ends at the first statement whose end is not certain, or that may be a block: a line in a block or in a long string
 * must not pass for a statement.
 */
import { documentationOf, importAt } from './leading-imports.ts';

export interface AssignedFirst {
  names: ReadonlySet<string>;
  /** The modules that it imports before its text mentions their last name. */
  modules: ReadonlySet<string>;
  /** The text without those import statements: an import reads no name. */
  rest: string;
}

const NAME = '[A-Za-z_]\\w*';
const ASSIGNMENT = new RegExp(`^(${NAME}(?:[ \\t]*,[ \\t]*${NAME})*)[ \\t]*=(?!=)([\\s\\S]*)$`);
const EMPTY = /(?:[ \t]*(?:#[^\n]*)?\n)*/y;
/** Text, comments, brackets and the rest, without what may go on in the next line. */
const PIECE = /'(?!'')[^'\\\n]*'|"(?!"")[^"\\\n]*"|#[^\n]*|[^'"#\\]/y;

export function assignedFirst(text: string, wordsIn: (text: string) => readonly string[]): AssignedFirst {
  const names = new Set<string>();
  const modules = new Set<string>();
  const mentioned = new Set<string>();
  const assign = (targets: readonly string[]) => {
    for (const name of targets) if (!mentioned.has(name)) names.add(name);
    for (const name of targets) mentioned.add(name);
  };
  let rest = documentationOf(text);
  let at = rest.length;
  while (at < text.length) {
    const found = importAt(text, at);
    if (found !== undefined) {
      for (const module of found.modules) if (!mentioned.has(lastOf(module))) modules.add(module);
      assign(found.bound);
      at += found.length;
      continue;
    }
    const start = endOf(EMPTY, text, at);
    const end = statementEnd(text, start);
    if (end === undefined) break;
    const statement = text.slice(start, end);
    const [, targets = '', value = statement] = ASSIGNMENT.exec(statement) ?? [];
    for (const word of wordsIn(value)) mentioned.add(word);
    assign(wordsIn(targets));
    rest += text.slice(at, end);
    at = end;
  }
  return { names, modules, rest: rest + text.slice(at) };
}

/** The last part of a dotted name. */
export const lastOf = (module: string) => module.slice(module.lastIndexOf('.') + 1);

/** Where a line of simple statements surely ends; undefined if this is not certain. */
function statementEnd(text: string, start: number): number | undefined {
  if (!/[A-Za-z_("'[{]/.test(text[start] ?? '')) return undefined;
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const next = endOf(PIECE, text, at);
    const piece = text.slice(at, next);
    if (next === at || piece === '\r' || isOpenText(piece)) return undefined;
    if ('([{'.includes(piece)) depth++;
    if (')]}'.includes(piece)) depth--;
    if (depth < 0 || (depth === 0 && piece === ':')) return undefined;
    at = next;
    if (depth === 0 && piece === '\n') return at;
  }
  return depth === 0 ? at : undefined;
}

/** In a formatted text, quotes may stand in braces, so that the text does not end where it seems to. */
function isOpenText(piece: string): boolean {
  return /^['"]/.test(piece) && piece.split('{').length !== piece.split('}').length;
}

function endOf(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : at;
}
