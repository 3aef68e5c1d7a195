/** What is wrong with the body of a data cell, which is JSON or YAML. */
import { notFiniteWords } from '@woof/expr';
import { type Diagnostic, decodeJson } from '@woof/net';
import { checkJson } from '../../yaml/check-json.ts';
import { yamlProblems } from '../../yaml/diagnostics.ts';
import { parseYaml } from '../../yaml/parse.ts';
import type { Span } from '../../yaml/source.ts';
import type { Cell } from '../cell.ts';
import { notebookProblems as problems } from '../diagnostics.ts';
import { isError, jsonProblem, placeOf, spansOf } from '../json-body.ts';
import type { Notebook } from '../notebook.ts';
import { dataValue } from './data-value.ts';

export function lintData(notebook: Notebook, cell: Cell): Diagnostic[] {
  const isJson = jsonProblem(cell.body) === undefined;
  if (!isJson && isCsv(cell.body)) return [problems.csvData(firstLine(notebook, cell), cell.id)];
  const [line] = notebook.source.position(cell.bodyStart);
  const yaml = isJson ? undefined : parseYaml(cell.body, line);
  const found =
    pythonNumbers(notebook, cell) ?? yaml?.diagnostics ?? checkJson(cell.body, spansOf(notebook, cell));
  const first = found.find(isError);
  const at = first ?? yaml?.unquoted[0];
  if (at === undefined) return found;
  const { message, hint } = first ?? problems.headerBraces(placeOf(at));
  return [...found.filter((each) => !isError(each)), problems.badData(placeOf(at), cell.id, message, hint)];
}

/** JSON with NaN or Infinity, as Python writes it: YAML would read these as strings. */
function pythonNumbers(notebook: Notebook, cell: Cell): Diagnostic[] | undefined {
  const [first] = notFiniteWords(cell.body);
  if (first === undefined || !isData(cell.body)) return undefined;
  return [yamlProblems.notJson(spansOf(notebook, cell)(first.start, first.end), first.word)];
}

function isData(text: string): boolean {
  try {
    decodeJson(text);
    return true;
  } catch {
    return false;
  }
}

const CSV_MARKS = [',', ';', '\t', '|'];

/**
 * YAML would read it as a single string, or fail. Most rows of a table have the same number of marks, and all of them
 * in text with a space after its marks, which may be prose.
 */
function isCsv(body: string): boolean {
  if (typeof (dataValue(body) ?? '') !== 'string' || /^\s*[|>]/.test(body)) return false;
  const rows = body
    .replaceAll(/"[^"]*"/g, '')
    .split('\n')
    .filter(isRow);
  return CSV_MARKS.some((mark) => {
    const counts = rows.map((row) => row.split(mark).length);
    const isTight = rows.every((row) => !row.includes(`${mark} `));
    const most = Math.max(...counts.map((count) => counts.filter((each) => each === count).length));
    const areEqual = isTight ? most > rows.length / 2 : most === rows.length;
    return rows.length > 1 && areEqual && counts.every((count) => count > 1);
  });
}

const isRow = (line: string): boolean => line.trim() !== '' && !line.startsWith('#');

function firstLine(notebook: Notebook, cell: Cell): Span {
  const length = cell.body.split('\n', 1)[0]!.length;
  return notebook.source.span(cell.bodyStart, cell.bodyStart + length);
}
