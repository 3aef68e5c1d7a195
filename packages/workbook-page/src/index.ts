/** What the builder and the page agree on. The pages themselves are separate programs: `<name>/main.ts`. */
export { escapeHtml } from './notebook/escape-html.ts';
export { highlight } from './notebook/highlight.ts';
export { nodeNameIn } from './notebook/javascript/node-names.ts';
export { readersOf } from './notebook/live/affected-cells.ts';
export type { CellOutput } from './notebook/messages.ts';
export { CHART_TYPES, type OutputTools, outputsHtml } from './notebook/output-html.ts';
export { packCells } from './notebook/packed-cells.ts';
export {
  type ChartModel,
  type Control,
  type PageCell,
  type PageModel,
  PLACES,
  PYTHON_PARTS,
} from './notebook/page-model.ts';
export { default as PYODIDE_CORE } from './notebook/python/pyodide-core.py?raw';
export {
  type LogEntry,
  type PlacedTraceback,
  type ReportData,
  type RunData,
  type RunFile,
  toRunFiles,
} from './report/run-data.ts';
