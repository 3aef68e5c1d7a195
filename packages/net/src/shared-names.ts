/**
 * Which variables a cell requests from cells of other languages: for each dependency that it names by id, the words
 * that occur in both texts. The rule is the same wherever cells run.
 */
import type { CellTask } from './cell.ts';
import { traitsOf } from './cell-types.ts';

type Cells = ReadonlyMap<string, CellTask>;

const MAX_NAMES = 1000;
const OURS = new Set(['woof', 'parameters', 'display']);

/** Whether `cell` requests variables from `giver`. */
export function asks(cell: CellTask, giver: CellTask): boolean {
  if (cell.session === giver.session || !traitsOf(cell).isCode || !traitsOf(giver).isCode) return false;
  return cell.needs.includes(giver.id) && names(cell.body, giver.id);
}

/** Whether the id occurs in the text as a whole word: `data` does not name cell `a`. */
function names(body: string, id: string): boolean {
  const plain = id.replaceAll(/[^\w]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}_])${plain}(?![\p{L}\p{N}_])`, 'u').test(body);
}

/** The names that the cells of the notebook request from a cell. */
export function namesAsked(giver: CellTask, cells: Cells): string[] {
  const asking = [...cells.values()].filter((cell) => asks(cell, giver));
  return [...new Set(asking.flatMap((cell) => commonNames(cell, giver)))].sort();
}

/** The variables that one cell may get from another. */
export function commonNames(cell: CellTask, giver: CellTask): string[] {
  const own = wordsOf(cell.body);
  return [...wordsOf(giver.body)].filter((word) => own.has(word) && !OURS.has(word)).slice(0, MAX_NAMES);
}

/** R has names with dots; elsewhere a dot separates two names. */
function wordsOf(body: string): Set<string> {
  const found = new Set<string>();
  for (const [word] of body.matchAll(/[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}\p{N}_]+)*/gu)) {
    found.add(word);
    for (const part of word.split('.')) found.add(part);
  }
  return found;
}
