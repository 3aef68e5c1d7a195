/**
 * A notebook as one page: its text, its code, and the outputs that stand beside it; with `live`, cells that run in the
 * page. The page holds its sources, so that `woof unbundle` gives the same bytes.
 *
 * What is painted first stands first: scripts and packed runtimes come at the end of the body. No byte of the page
 * depends on when or where it was built.
 */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Cell, compileNotebook, type Notebook, parseNotebook } from '@woof/documents';
import { cleanHtml, type Heading, renderMarkdown } from '@woof/documents/html';
import {
  type BundleFile,
  type BundleTag,
  inlineScript,
  inlineStyle,
  writeWorkbook,
} from '@woof/documents/workbook';
import { PYTHON_DISPLAY, PYTHON_EXECUTE, PYTHON_FAILURE, PYTHON_VALUES } from '@woof/kernels/python-source';
import type { CellTask, Json, Step } from '@woof/net';
import {
  highlight,
  outputsHtml,
  type PageCell,
  type PageModel,
  PLACES,
  PYODIDE_CORE,
  PYTHON_PARTS,
  packCells,
} from '@woof/workbook-page';
import type { PagePart } from './build-run.ts';
import { chartsOf } from './notebook/charts.ts';
import { controlsOf } from './notebook/controls.ts';
import { type Live, storedCells, taskOf } from './notebook/live-cells.ts';
import { FilesBeside, type NotebookFiles } from './notebook/notebook-files.ts';
import {
  bodyHtml,
  type CellHtml,
  type CodeView,
  cellHtml,
  contentsHtml,
  parametersHtml,
} from './notebook/page-html.ts';
import { type StoredOutputs, storedOutputs } from './notebook/stored-outputs.ts';
import { type PackOptions, packSources } from './pack-sources.ts';
import { Refused } from './refused.ts';

export interface NotebookOptions {
  /** Unless it is said: JavaScript where cells can use it, and no Python, which weighs 8 MB. */
  live?: Live;
  code?: CodeView;
  /** Files that are meant to be read although they look like secrets. */
  includeSecrets?: readonly string[];
}

export interface BuiltNotebook {
  html: string;
  /** What runs in the page. */
  live: ('js' | 'python')[];
  /** Files that the notebook names and the page does not hold. */
  absent: string[];
}

export function buildNotebook(files: NotebookFiles, options: NotebookOptions, part: PagePart): BuiltNotebook {
  const { notebook } = parseNotebook(files.text);
  const beside = new FilesBeside(files);
  const sidecar = text(beside.read(`${files.name}.out`));
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
  const html = writeWorkbook({
    title: page.title,
    kind: 'notebook',
    attributes: { 'data-wb-live': languages.join(' ') },
    ...permissionsOf(steps),
    csp: policyOf(scripts, part('notebook.css'), languages.includes('python')),
    head: inlineStyle(part('notebook.css')),
    body: [page.body, ...scripts.before, scripts.script, ...scripts.after].join('\n'),
    bundle: bundleOf(files, beside, {
      newestMs: newest(outputs),
      includeSecrets: options.includeSecrets ?? [],
    }),
  });
  return { html, live: languages, absent: [...beside.absent].filter((path) => path !== `${files.name}.out`) };
}

const text = (bytes: Uint8Array | undefined) =>
  bytes === undefined ? undefined : new TextDecoder().decode(bytes);
const nameOf = (file: string) => file.replace(/\.[^.]*$/, '') || file;

function defaultLive(steps: readonly Step[]): Live {
  const stored = storedCells(steps, { live: 'js', modules: new Set() });
  return liveLanguages(steps, stored).length > 0 ? 'js' : 'none';
}

function liveLanguages(steps: readonly Step[], stored: ReadonlyMap<string, string>): ('js' | 'python')[] {
  const running = steps
    .map(taskOf)
    .filter(({ id, type }) => !stored.has(id) && (type === 'code' || type === 'test'));
  const has = (language: string) => running.some((cell) => cell.language === language);
  return [...(has('javascript') ? ['js' as const] : []), ...(has('python') ? ['python' as const] : [])];
}

/** The time of the newest output: the sources have no other that a copy of them would keep. */
function newest(outputs: ReadonlyMap<string, StoredOutputs>): number {
  const times = [...outputs.values()].map(({ at }) => Date.parse(at)).filter(Number.isFinite);
  return Math.max(0, ...times);
}

function bundleOf(
  { name, text: source, read }: NotebookFiles,
  beside: FilesBeside,
  options: Omit<PackOptions, 'rootName'>,
): BundleTag {
  // Its bytes as they stand: what is no UTF-8 in it would not survive as text.
  const own: BundleFile = { path: name, content: read(name) ?? Buffer.from(source), mode: 0o644 };
  const others = [...beside.used].map(([path, content]) => ({ path, content, mode: 0o644 }));
  const packed = packSources([own, ...others], { rootName: nameOf(name), ...options });
  if ('problems' in packed) throw new Refused(packed.problems);
  return packed.tag;
}

/** A host asks before it opens what declares effects, though cells with effects do not run in a page. */
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
      .flatMap(({ id, type, value }): [string, Json][] => (type === 'data' ? [[id, value ?? null]] : [])),
  );
  const entries = steps.map(taskOf).map(({ id, type }) => {
    const body = type === 'viz' ? { body: notebook.cell(id)!.body } : {};
    return [id, chartsOf({ ...body, outputs: outputs.get(id)?.outputs ?? [], data })] as const;
  });
  return Object.fromEntries(entries.filter(([, charts]) => charts.length > 0));
}

function pageCell(task: CellTask, stored: ReadonlyMap<string, string>): PageCell {
  const { id, type, language, session, body, needs, value, timeoutSec } = task;
  const why =
    stored.get(id) ??
    (type === 'data' && !isJson(body) ? 'its data is YAML, and the page reads JSON' : undefined);
  return {
    ...{ id, type, language, session, body, needs },
    ...(value === undefined ? {} : { value }),
    ...(timeoutSec === undefined ? {} : { timeoutSec }),
    ...(why === undefined ? {} : { stored: why }),
  };
}

/** Without live cells, nobody asks what these build on. */
function chartCells(steps: readonly Step[], charts: PageModel['charts']): PageModel['cells'] {
  const drawn = steps.map(taskOf).filter(({ id }) => Object.hasOwn(charts, id));
  const stored = new Map(drawn.map(({ id }) => [id, 'this page was built without live cells']));
  return packCells(drawn.map((task) => ({ ...pageCell(task, stored), body: '', needs: [] })));
}

function isJson(body: string): boolean {
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
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
  const { files, beside, outputs, options, languages } = parts;
  const headings: Heading[] = [];
  const markdown = markdownFor(beside, headings);
  const cells = notebook.cells.map((cell) => {
    if (cell.type === 'raw') return '';
    return cell.type === 'md'
      ? `<section class="prose">${markdown(cell.body)}</section>`
      : cellHtml(cellPartsOf(cell, parts, markdown), options.code ?? 'folded');
  });
  const title = headings.find(({ level }) => level === 1)?.text || notebook.header.name || nameOf(files.name);
  const body = bodyHtml({
    title,
    hasHeading: headings.some(({ level }) => level === 1),
    facts: factsOf(notebook, outputs),
    contents: contentsHtml(headings),
    parameters: parametersHtml(controlsOf(notebook.header), languages.length > 0),
    cells: cells.filter((html) => html !== ''),
    file: files.name,
  });
  return { title, body };
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
    ...(why === undefined ? {} : { stored: why }),
  };
}

/** Ids of headings have a beginning of their own: none is that of another part of the page. */
function markdownFor(beside: FilesBeside, headings: Heading[]): (source: string) => string {
  const used = new Map<string, number>();
  const idOf = (title: string) => {
    const slug = `s-${title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, '')}`;
    const count = (used.get(slug) ?? 0) + 1;
    used.set(slug, count);
    return count === 1 ? slug : `${slug}-${count}`;
  };
  return (source) => {
    const found = renderMarkdown(source, {
      idOf,
      codeOf: highlight,
      pictureOf: (path) => pictureOf(path, beside),
    });
    headings.push(...found.headings);
    return found.html;
  };
}

const PICTURES: Record<string, string> = {
  ...{
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
    svg: 'image/svg+xml',
  },
};

function pictureOf(path: string, beside: FilesBeside): string | undefined {
  const type = PICTURES[/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''];
  if (type === undefined || /^[a-z][a-z0-9+.-]*:|^[/#?]/i.test(path)) return undefined;
  const bytes = beside.read(decoded(path).replace(/^\.\//, ''));
  return bytes === undefined ? undefined : `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
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

interface PageScripts {
  script: string;
  /** What the script finds when it starts. */
  before: string[];
  /** What it waits for: megabytes, which must not hold up the rest. */
  after: string[];
  isPacked: boolean;
}

function scriptsOf(model: PageModel, languages: readonly string[], part: PagePart): PageScripts {
  const packed: [string, string][] = [];
  if (Object.keys(model.charts).length > 0) packed.push(['chart', pack(part('chart.js'))]);
  if (languages.includes('js')) packed.push(['javascript', pack(part('javascript-worker.js'))]);
  if (languages.includes('python')) {
    packed.push(['python', pack(part('python-worker.js'))]);
    for (const name of PYTHON_PARTS) packed.push([`python-${name}`, pythonPart(name, part)]);
  }
  const data = inlineScript(JSON.stringify(model), { type: 'application/json', id: PLACES.model });
  const isLarge = ([name]: [string, string]) => name.startsWith('python-');
  const tagsOf = (list: [string, string][]) =>
    list.map(([name, content]) => inlineScript(content, { type: 'text/plain', id: PLACES.payload(name) }));
  return {
    script: inlineScript(part('notebook.js')),
    before: [data, ...tagsOf(packed.filter((each) => !isLarge(each)))],
    after: tagsOf(packed.filter(isLarge)),
    isPacked: packed.length > 0,
  };
}

const pack = (content: string) => gzipSync(content, { level: 9 }).toString('base64');

function pythonPart(name: (typeof PYTHON_PARTS)[number], part: PagePart): string {
  if (name === 'lock') return part('python-lock.json').replaceAll('<', String.raw`\u003c`);
  if (name !== 'driver') return part(`python-${name}.txt`);
  const parts = { display: PYTHON_DISPLAY, failure: PYTHON_FAILURE, values: PYTHON_VALUES };
  return JSON.stringify({ source: PYODIDE_CORE + PYTHON_EXECUTE, parts }).replaceAll('<', String.raw`\u003c`);
}

/** Only the page's own script and style; workers and what is packed come as blobs of the page. Nothing is fetched. */
function policyOf({ script, isPacked }: PageScripts, style: string, python: boolean): string {
  const hash = hashOf(script.slice(script.indexOf('>') + 1, -'</script>'.length));
  return [
    "default-src 'none'",
    `script-src ${hash}${isPacked ? ' blob:' : ''}${python ? " 'wasm-unsafe-eval'" : ''}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    ...(isPacked ? ['worker-src blob:'] : []),
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

const hashOf = (content: string) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
