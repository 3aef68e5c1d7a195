/** What is wrong with bodies that must be data: `data` is JSON or YAML, `viz` is JSON. */
import type { Diagnostic } from '@woof/net';
import { parseYaml } from '../yaml/parse.ts';
import type { Cell } from './cell.ts';
import { notebookProblems as problems } from './diagnostics.ts';
import type { Notebook } from './notebook.ts';

export function lintBodies(notebook: Notebook): Diagnostic[] {
  return notebook.cells.flatMap((cell) => {
    if (cell.type === 'data') return lintData(notebook, cell);
    return cell.type === 'viz' ? lintViz(notebook, cell) : [];
  });
}

function lintData(notebook: Notebook, cell: Cell): Diagnostic[] {
  if (jsonProblem(cell.body) === undefined) return [];
  const yaml = parseYaml(cell.body);
  const first = yaml.diagnostics.find(({ severity }) => severity === 'error');
  const at = first ?? yaml.unquoted[0];
  if (at === undefined) return [];
  const message = first?.message ?? 'an unquoted {{ … }} is a map in YAML';
  const [line] = notebook.source.position(cell.bodyStart);
  const place = { line: line + at.line - 1, column: at.column, endColumn: at.endColumn ?? at.column + 1 };
  return [problems.badData(place, cell.id, message)];
}

function lintViz(notebook: Notebook, cell: Cell): Diagnostic[] {
  const problem = jsonProblem(cell.body);
  if (!problem) return [];
  const start = cell.bodyStart + problem.offset;
  return [problems.badViz(notebook.source.span(start, start + 1), cell.id, problem.message)];
}

function jsonProblem(text: string): { message: string; offset: number } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (problem) {
    const { message } = problem as Error;
    const offset = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    const what = text.trim() === '' ? 'it is empty' : message.split(/ at position | \(line /)[0]!;
    return { message: what.split('\n', 1)[0]!, offset: Math.min(offset, text.length) };
  }
}
