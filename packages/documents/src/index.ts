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
export { insertCell, type NewCell, removeCell, setCellBody, setCellToken } from './notebook/edit.ts';
export { graphOfNotebook } from './notebook/graph.ts';
export { lintNotebook } from './notebook/lint.ts';
export { type Notebook, printNotebook } from './notebook/notebook.ts';
export { parseNotebook } from './notebook/parse.ts';
export { renderDiagnostics } from './render/diagnostics.ts';
