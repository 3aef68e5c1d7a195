/** What is wrong with bodies that must be data: `data` is JSON or YAML, `viz` is JSON. */
import type { Diagnostic } from '@woof/net';
import { checkJson } from '../yaml/check-json.ts';
import { parseYaml } from '../yaml/parse.ts';
import type { Span } from '../yaml/source.ts';
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
  if (jsonProblem(cell.body) === undefined) return checkJson(cell.body, spansOf(notebook, cell));
  const [line] = notebook.source.position(cell.bodyStart);
  const yaml = parseYaml(cell.body, line);
  const first = yaml.diagnostics.find(({ severity }) => severity === 'error');
  const at = first ?? yaml.unquoted[0];
  if (at === undefined) return yaml.diagnostics;
  const message = first?.message ?? 'an unquoted {{ … }} is a map in YAML';
  const place = { line: at.line, column: at.column, endColumn: at.endColumn ?? at.column + 1 };
  return [problems.badData(place, cell.id, message)];
}

function lintViz(notebook: Notebook, cell: Cell): Diagnostic[] {
  const problem = jsonProblem(cell.body);
  const span = spansOf(notebook, cell);
  // What a number loses does not show in a chart.
  if (!problem) return checkJson(cell.body, span).filter(({ severity }) => severity === 'error');
  return [problems.badViz(span(problem.offset, problem.offset + 1), cell.id, problem.message)];
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
    const offset = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    const what = text.trim() === '' ? 'it is empty' : message.split(/ at position | \(line /)[0]!;
    return { message: what.split('\n', 1)[0]!, offset: Math.min(offset, text.length) };
  }
}
