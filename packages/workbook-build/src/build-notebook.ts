/**
 * Builds one page from a notebook: its text, its code, and the stored outputs beside it; with `live`, cells that run in
 * the page. The page contains its sources, so that `woof unbundle` returns the same bytes.
 *
 * What is painted first comes first: scripts and packed runtimes are at the end of the body. No byte of the page
 * depends on when or where it was built.
 */
import { type Cell, compileNotebook, type Notebook, parseNotebook } from '@woof/documents';
import { cleanHtml, type Heading } from '@woof/documents/html';
import { type BundleFile, inlineStyle, writeWorkbook } from '@woof/documents/workbook';
import { type CellTask, type Json, type Step, traitsOf } from '@woof/net';
import { outputsHtml, type PageModel, packCells, readersOf } from '@woof/workbook-page';
import type { PagePart } from './build-run.ts';
import { chartsOf } from './notebook/charts.ts';
import { controlsOf } from './notebook/controls.ts';
import { type Live, storedCells, taskOf, WITHOUT_PYTHON } from './notebook/live-cells.ts';
import { type LiveLanguage, liveWords } from './notebook/live-languages.ts';
import { FilesBeside, type NotebookFiles } from './notebook/notebook-files.ts';
import { chartCells, pageCell } from './notebook/page-cells.ts';
import {
  bodyHtml,
  type CellHtml,
  type CodeView,
  cellHtml,
  contentsHtml,
  parametersHtml,
} from './notebook/page-html.ts';
import { markdownFor } from './notebook/page-markdown.ts';
import { scriptsOf } from './notebook/page-scripts.ts';
import { type StoredOutputs, storedOutputs } from './notebook/stored-outputs.ts';
import { type Packed, type PackOptions, packSources } from './pack-sources.ts';
import { pagePolicy } from './page-policy.ts';
import { Refused } from './refused.ts';

export interface NotebookOptions {
  /** Default: JavaScript if cells can use it, but not Python, which takes 8 MB. */
  live?: Live;
  code?: CodeView;
  /** Files that may be published although they look like secrets. */
  includeSecrets?: readonly string[];
}

export interface BuiltNotebook {
  html: string;
  /** What runs in the page. */
  live: LiveLanguage['word'][];
  /** Files that the notebook names but the page does not contain. */
  absent: string[];
}

export function buildNotebook(files: NotebookFiles, options: NotebookOptions, part: PagePart): BuiltNotebook {
  const { notebook } = parseNotebook(files.text);
  const beside = new FilesBeside(files);
  const sidecar = text(beside.readSidecar());
  const outputs = storedOutputs(sidecar, beside);
  const steps = compileNotebook(notebook).steps;
  const live = options.live ?? defaultLive(steps);
  const modules = live === 'python' ? (JSON.parse(part('python-modules.json')) as string[]) : [];
  const stored = storedCells(steps, { live, modules: new Set(modules) });
  const languages = liveLanguages(steps, stored);
  const charts = chartsByCell(notebook, steps, outputs);
  const page = pageOf(notebook, {
    files,
    beside,
    outputs,
    stored: languages.length > 0 ? stored : new Map(),
    options,
    languages,
    tasks: new Map(steps.map((step) => [step.name, taskOf(step)])),
  });
  const model: PageModel = {
    cells:
      languages.length > 0
        ? packCells(steps.map((step) => pageCell(taskOf(step), stored)))
        : chartCells(steps, charts),
    parameters: notebook.header.parameters,
    charts,
  };
  const scripts = scriptsOf(model, languages, part);
  const sources = bundleOf(files, beside, {
    newestMs: newest(outputs),
    includeSecrets: options.includeSecrets ?? [],
  });
  const html = writeWorkbook({
    title: page.title,
    kind: 'notebook',
    attributes: { 'data-wb-live': languages.join(' ') },
    ...permissionsOf(steps),
    csp: pagePolicy({
      script: scripts.script,
      style: part('notebook.css'),
      blobs: scripts.isPacked,
      wasm: languages.includes('python'),
    }),
    head: inlineStyle(part('notebook.css')),
    body: [page.body, ...scripts.before, scripts.script, ...scripts.after].join('\n'),
    bundle: sources.tag,
  });
  const absent = [...beside.absent, ...sources.incomplete.map(({ message }) => message)];
  return { html, live: languages, absent };
}

const text = (bytes: Uint8Array | undefined) =>
  bytes === undefined ? undefined : new TextDecoder().decode(bytes);
const nameOf = (file: string) => file.replace(/\.[^.]*$/, '') || file;

function defaultLive(steps: readonly Step[]): Live {
  const stored = storedCells(steps, { live: 'js', modules: new Set() });
  return liveLanguages(steps, stored).length > 0 ? 'js' : 'none';
}

function liveLanguages(steps: readonly Step[], stored: ReadonlyMap<string, string>) {
  return liveWords(steps.map(taskOf).filter((cell) => !stored.has(cell.id) && traitsOf(cell).isCode));
}

/** The time of the newest output: the sources have no other time that survives copying. */
function newest(outputs: ReadonlyMap<string, StoredOutputs>): number {
  const times = [...outputs.values()].map(({ at }) => Date.parse(at)).filter(Number.isFinite);
  return Math.max(0, ...times);
}

function bundleOf(
  { name, text: source, read }: NotebookFiles,
  beside: FilesBeside,
  options: Omit<PackOptions, 'rootName'>,
): Packed {
  // Its original bytes: bytes that are not UTF-8 would not survive as text.
  const own: BundleFile = { path: name, content: read(name) ?? Buffer.from(source), mode: 0o644 };
  const others = [...beside.used].map(([path, content]) => ({ path, content, mode: 0o644 }));
  const packed = packSources([own, ...others], { rootName: nameOf(name), ...options });
  if ('problems' in packed) throw new Refused(packed.problems);
  return packed;
}

/** A host asks before it opens a page that declares effects, even though cells with effects do not run in a page. */
function permissionsOf(steps: readonly Step[]) {
  const using = steps.map(taskOf).filter(({ declared }) => declared.allow_network);
  if (using.length === 0) return { permissions: [] };
  const names = using.map(({ id }) => id).join(', ');
  return { permissions: ['net' as const], reasons: { net: `cells that use the network: ${names}` } };
}

function chartsByCell(
  notebook: Notebook,
  steps: readonly Step[],
  outputs: ReadonlyMap<string, StoredOutputs>,
): PageModel['charts'] {
  const data = new Map(
    steps
      .map(taskOf)
      .flatMap((cell): [string, Json][] => (traitsOf(cell).isValue ? [[cell.id, cell.value ?? null]] : [])),
  );
  const entries = steps.map(taskOf).map(({ id, type }) => {
    const body = traitsOf({ type }).isChart ? { body: notebook.cell(id)!.body } : {};
    return [id, chartsOf({ ...body, outputs: outputs.get(id)?.outputs ?? [], data })] as const;
  });
  return Object.fromEntries(entries.filter(([, charts]) => charts.length > 0));
}

interface PageParts {
  files: NotebookFiles;
  beside: FilesBeside;
  outputs: ReadonlyMap<string, StoredOutputs>;
  stored: ReadonlyMap<string, string>;
  options: NotebookOptions;
  languages: readonly string[];
  tasks: ReadonlyMap<string, CellTask>;
}

function pageOf(notebook: Notebook, parts: PageParts): { title: string; body: string } {
  const { files, beside, outputs, options } = parts;
  const headings: Heading[] = [];
  const charts = notebook.cells.filter((cell) => traitsOf(cell).isChart && outputs.has(cell.id));
  const markdown = markdownFor(beside, headings, new Set(charts.map(({ id }) => id)));
  const cells = notebook.cells.map((cell) => {
    const { isStep, isMarkdown } = traitsOf(cell);
    if (!isStep && !isMarkdown) return '';
    return isMarkdown
      ? `<section class="prose">${markdown(cell.body)}</section>`
      : cellHtml(cellPartsOf(cell, parts, markdown), options.code ?? 'folded');
  });
  const title = headings.find(({ level }) => level === 1)?.text || notebook.header.name || nameOf(files.name);
  const body = bodyHtml({
    title,
    hasHeading: headings.some(({ level }) => level === 1),
    facts: [...factsOf(notebook, outputs), ...liveFacts(parts)],
    contents: contentsHtml(headings),
    parameters: parametersHtml(controlsOf(notebook.header), readIn(parts)),
    cells: cells.filter((html) => html !== ''),
    file: files.name,
  });
  return { title, body };
}

/** Whether a cell that runs in the page may read a parameter. */
function readIn({ tasks, stored, languages }: PageParts): (parameter: string) => boolean {
  const live = languages.length === 0 ? [] : [...tasks.values()].filter(({ id }) => !stored.has(id));
  return (parameter) => readersOf(live, parameter).length > 0;
}

function cellPartsOf(
  cell: Cell,
  { outputs, stored, tasks }: PageParts,
  markdown: (source: string) => string,
): CellHtml {
  const found = outputs.get(cell.id);
  const why = stored.get(cell.id);
  const name = cell.get('name');
  return {
    ...{ id: cell.id, type: cell.type, language: tasks.get(cell.id)?.language ?? cell.type, body: cell.body },
    hasRun: found !== undefined,
    outputs: outputsHtml(found?.outputs ?? [], { clean: cleanHtml, markdown }),
    ...(name ? { name } : {}),
    ...(why === undefined || why === WITHOUT_PYTHON ? {} : { stored: why }),
  };
}

const NAMES: Record<string, string> = { js: 'JavaScript', python: 'Python' };

/** Stated once: a note under each cell would be most of the text. */
function liveFacts({ languages, stored }: PageParts): string[] {
  if (languages.length === 0) return ['stored outputs'];
  const words = languages.map((language) => NAMES[language]).join(' and ');
  const live = `${words} ${languages.length === 1 ? 'runs' : 'run'} in this page`;
  const hasPython = [...stored.values()].includes(WITHOUT_PYTHON);
  return [
    hasPython
      ? `${live}; Python outputs are stored (build with --live python to run Python in the page)`
      : live,
  ];
}

function factsOf(notebook: Notebook, outputs: ReadonlyMap<string, StoredOutputs>): string[] {
  const times = [...outputs.values()]
    .map(({ at }) => at)
    .filter((at) => /^\d{4}-\d\d-\d\dT/.test(at))
    .sort();
  const newest = times.at(-1);
  const cells = notebook.cells.length;
  return [
    `${cells} ${cells === 1 ? 'cell' : 'cells'}`,
    ...(newest === undefined ? [] : [`last run ${newest.slice(0, 16).replace('T', ' ')} UTC`]),
  ];
}
