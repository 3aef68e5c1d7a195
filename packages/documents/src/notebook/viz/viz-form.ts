/** A chart: its body is JSON, and in Jupyter it displays its specification with the data that it names. */
import { type Diagnostic, mimeOf, parseChart } from '@woof/net';
import { checkJson } from '../../yaml/check-json.ts';
import type { Cell } from '../cell.ts';
import type { CellForm } from '../cell-form.ts';
import { notebookProblems as problems } from '../diagnostics.ts';
import { pythonLiteral } from '../ipynb/python-literal.ts';
import { isError, jsonProblem, placeOf, spansOf } from '../json-body.ts';
import type { Notebook } from '../notebook.ts';
import { isBindable } from '../python/bindable-name.ts';

export const vizForm: CellForm = {
  jupyter: 'code',
  label: '[raw] ',
  lint: lintViz,
  python: { write: (_id, body) => chartCode(body), read: readChart },
};

function lintViz(notebook: Notebook, cell: Cell): Diagnostic[] {
  const problem = jsonProblem(cell.body);
  const span = spansOf(notebook, cell);
  if (problem) return [problems.badViz(span(problem.offset, problem.offset + 1), cell.id, problem.message)];
  // Lost digits do not matter in a chart.
  const first = checkJson(cell.body, span).find(isError);
  return first ? [problems.badViz(placeOf(first), cell.id, first.message)] : [];
}

const SHOW = 'from IPython.display import display\ndisplay({';

function chartCode(body: string): string {
  try {
    const { spec, kind, wanted } = parseChart(body);
    const data = kind === 'vega-lite' ? wanted.map(dataEntry).join(', ') : '';
    const literal = pythonLiteral(body, spec);
    const filled = data === '' ? literal : `{**${literal}, "datasets": {${data}}}`;
    return `${SHOW}"${mimeOf(kind)}": ${filled}}, raw=True)`;
  } catch {
    return body;
  }
}

/** A data frame provides its rows. */
function dataEntry(name: string): string {
  const value = isBindable(name) ? name : `woof[${JSON.stringify(name)}]`;
  return `${JSON.stringify(name)}: getattr(${value}, "to_dict", lambda _: ${value})("records")`;
}

/** A chart that was changed in Jupyter is code. */
function readChart(code: string): { type: 'code' | 'viz'; body: string } {
  return { type: code.startsWith(SHOW) ? 'code' : 'viz', body: code };
}
