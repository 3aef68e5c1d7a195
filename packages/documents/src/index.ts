/** Documents: text to plan, and back to canonical text; diagnostics and drawings for people. */
export {
  type DocumentKind,
  graphOfDocument,
  type ReadOptions,
  type ReadResult,
  readDocument,
} from './document.ts';
export { type FormatOptions, type FormatResult, formatDocument } from './format.ts';
export { drawDot } from './graph/dot.ts';
export { type Graph, graphOf } from './graph/graph.ts';
export { drawMermaid } from './graph/mermaid.ts';
export { drawTerminal, type TerminalOptions } from './graph/terminal.ts';
export { type Cell, splitList } from './notebook/cell.ts';
export { formOf } from './notebook/cell-forms.ts';
export { type CompileOptions, compileNotebook, stepCellIds, testCells } from './notebook/compile.ts';
export { insertCell, type NewCell, removeCell, setCellBody, setCellToken } from './notebook/edit.ts';
export { setHeaderValue } from './notebook/edit-header.ts';
export { unreadableParts } from './notebook/format.ts';
export { graphOfNotebook } from './notebook/graph.ts';
export type { Header, IoPolicy } from './notebook/header.ts';
export { fromIpynb, type ImportedNotebook, type ImportOptions } from './notebook/ipynb/from-ipynb.ts';
export { toIpynb } from './notebook/ipynb/to-ipynb.ts';
export { toJsonForm } from './notebook/json-form.ts';
export { lintNotebook } from './notebook/lint.ts';
export { type CellEffects, effectsOf } from './notebook/lint-effects.ts';
export { type Notebook, printNotebook } from './notebook/notebook.ts';
export { isNotebookFile, isNotebookText, parseNotebook } from './notebook/parse.ts';
export { toPercentScript } from './notebook/percent-script.ts';
export { notebookCellSchema, notebookHeaderSchema, notebookSchema } from './notebook/schemas.ts';
export { latestEntries, parseSidecar, printSidecarLine, type SidecarEntry } from './notebook/sidecar.ts';
export { type Upgrade, upgradePlaybook } from './playbook/upgrade/upgrade.ts';
export { renderDiagnostics } from './render/diagnostics.ts';
export { schedulesSchema } from './schedules/schema.ts';
export { undecoded } from './undecoded.ts';
export { yamlValue } from './yaml/yaml-value.ts';
