/** What is wrong with bodies that must be data: `data` is JSON or YAML, `viz` is JSON. */
import { notFiniteWords } from '@woof/expr';
import { type Diagnostic, decodeJson } from '@woof/net';
import { checkJson } from '../yaml/check-json.ts';
import { yamlProblems } from '../yaml/diagnostics.ts';
import { parseYaml } from '../yaml/parse.ts';
import type { Span } from '../yaml/source.ts';
import { plainJsonError } from '../yaml/syntax-words.ts';
import type { Cell } from './cell.ts';
import { dataValue } from './data-value.ts';
import { notebookProblems as problems } from './diagnostics.ts';
import type { Notebook } from './notebook.ts';

export function lintBodies(notebook: Notebook): Diagnostic[] {
  return notebook.cells.flatMap((cell) => {
    if (cell.type === 'data') return lintData(notebook, cell);
    return cell.type === 'viz' ? lintViz(notebook, cell) : [];
  });
}

function lintData(notebook: Notebook, cell: Cell): Diagnostic[] {
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

/** JSON but for NaN or Infinity, as Python writes it: YAML would take these for texts. */
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

/** YAML would make one text of it, or stumble. */
function isCsv(body: string): boolean {
  const lines = body.split('\n').filter((line) => line.trim() !== '');
  const isRow = [',', ';', '\t'].some((mark) => lines[0]?.includes(mark));
  if (lines.length < 2 || !isRow || typeof (dataValue(body) ?? '') !== 'string') return false;
  return [',', ';', '\t'].some((mark) => {
    const counts = lines.map((line) => line.replace(/"[^"]*"/g, '').split(mark).length);
    return counts[0]! > 1 && counts.every((count) => count === counts[0]);
  });
}

function firstLine(notebook: Notebook, cell: Cell): Span {
  const length = cell.body.split('\n', 1)[0]!.length;
  return notebook.source.span(cell.bodyStart, cell.bodyStart + length);
}

function lintViz(notebook: Notebook, cell: Cell): Diagnostic[] {
  const problem = jsonProblem(cell.body);
  const span = spansOf(notebook, cell);
  if (problem) return [problems.badViz(span(problem.offset, problem.offset + 1), cell.id, problem.message)];
  // What loses digits is no matter in a chart.
  const first = checkJson(cell.body, span).find(isError);
  return first ? [problems.badViz(placeOf(first), cell.id, first.message)] : [];
}

const isError = ({ severity }: Diagnostic) => severity === 'error';

function placeOf({ line, column, endColumn = column + 1 }: Diagnostic | Span): Span {
  return { line, column, endColumn };
}

/** Of offsets in the body. */
function spansOf({ source }: Notebook, { bodyStart }: Cell): (start: number, end: number) => Span {
  return (start, end) => source.span(bodyStart + start, bodyStart + end);
}

function jsonProblem(text: string): { message: string; offset: number } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (problem) {
    const { message } = problem as Error;
    const offset = Number(/position (\d+)/.exec(message)?.[1] ?? unexpectedToken(text));
    const what = text.trim() === '' ? 'it is empty' : plainJsonError(message);
    return { message: what, offset: Math.min(offset, text.length) };
  }
}

/** Of a token that may not stand there the engine tells no place: it ends the shortest beginning with the same fault. */
function unexpectedToken(text: string): number {
  if (!hasUnexpectedToken(text)) return text.length;
  let [good, bad] = [0, text.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (hasUnexpectedToken(text.slice(0, middle))) bad = middle;
    else good = middle;
  }
  return good;
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (problem) {
    return (problem as Error).message.startsWith('Unexpected token');
  }
}
