/**
 * Builds one page from a folder with an index.html: everything that it loads is inlined, what cannot be inlined is
 * refused with a complete list, and the folder itself is the page's source bundle.
 */
import { basename, join, resolve } from 'node:path';
import {
  attributeOf,
  BundleTooLarge,
  checkWorkbook,
  type Element,
  elementsOf,
  embedBundle,
  encodeBase64,
  endOfBody,
  type HtmlTree,
  inlineScript,
  isHtmlElement,
  isMeta,
  PageTooLarge,
  parseHtml,
  permissionTags,
  startOfPage,
  workbookOf,
  workbookProblems,
} from '@woof/documents/workbook';
import { VERSION } from '@woof/workbook-runtime/version';
import type { PagePart } from './build-run.ts';
import { applyEdits, type Edit } from './folder/edits.ts';
import { FolderFiles } from './folder/folder-files.ts';
import { inlinePage } from './folder/inline-page.ts';
import { FILE_CALL, type InliningPage } from './folder/inline-script-loads.ts';
import { mediaTypeOf } from './folder/media-types.ts';
import { gunzip } from './node-gzip.ts';
import { packSources } from './pack-sources.ts';
import { readPage } from './read-page.ts';
import { readSources, TooManyFiles } from './read-sources.ts';
import { type FileProblem, Refused } from './refused.ts';

export interface FolderOptions {
  /** Paths below the folder that are not sources: the page to be written is not a source of itself. */
  except?: (path: string) => boolean;
  includeSecrets?: readonly string[];
  /** For pages that import the runtime. */
  part?: PagePart;
}

export interface Built {
  html: string;
  /** How many files the source bundle contains. */
  files: number;
  warnings: FileProblem[];
}

const TOP = { line: 1, column: 1, endColumn: 2 };
const PAGE = 'index.html';

export async function buildFolder(folder: string, options: FolderOptions = {}): Promise<Built> {
  const files = new FolderFiles(folder, options.includeSecrets);
  const refuse = (problems: FileProblem[]) => new Refused(problems, (file) => files.text(file));
  if (!(files.read(PAGE) instanceof Uint8Array))
    throw refuse([{ ...workbookProblems.noIndex(TOP, folder), file: folder }]);
  const text = readPage(join(files.root, PAGE));
  const tree = parsed(text);
  const { permissions } = workbookOf(tree);
  const page: InliningPage = { files, permissions, fetched: new Map() };
  const inlined = await inlinePage(page, text, tree);
  const sources = packed(files, folder, options);
  const problems = [...files.problems, ...('problems' in sources ? sources.problems : [])];
  if (problems.length > 0 || 'problems' in sources) throw refuse(inOrder(problems));
  const end = endOfBody(text, tree);
  const edits = [
    ...inlined.edits,
    ...headEdits(text, tree, page, inlined.head, options.part),
    ...(inlined.body === '' ? [] : [{ start: end, end, text: `${inlined.body}\n` }]),
  ];
  const html = embedBundle(applyEdits(text, edits), sources.tag);
  const left = checkWorkbook(html, gunzip).filter(({ code }) => code === 'workbook/external-reference');
  if (left.length > 0) throw refuse(left.map((problem) => ({ ...problem, ...TOP, file: PAGE })));
  return { html, files: Number(sources.tag.fileCount), warnings: [...files.warnings, ...sources.incomplete] };
}

function parsed(text: string): HtmlTree {
  try {
    return parseHtml(text);
  } catch (error) {
    if (!(error instanceof PageTooLarge)) throw error;
    throw new Refused([{ ...workbookProblems.tooLarge(TOP, `the page has ${error.message}`), file: PAGE }]);
  }
}

function packed(files: FolderFiles, folder: string, options: FolderOptions): ReturnType<typeof packSources> {
  const rootName = basename(resolve(folder)) || 'workbook';
  try {
    const { files: sources, newestMs } = readSources(files.root, options.except);
    return packSources(sources, { rootName, newestMs, includeSecrets: options.includeSecrets ?? [] });
  } catch (error) {
    if (!(error instanceof BundleTooLarge || error instanceof TooManyFiles)) throw error;
    return { problems: [{ ...workbookProblems.sourcesTooLarge(TOP, error.message), file: rootName }] };
  }
}

/** What hosts and browsers need comes first; styles of modules come last, as modules would have added them. */
function headEdits(
  text: string,
  tree: HtmlTree,
  page: InliningPage,
  styles: string,
  part: PagePart | undefined,
): Edit[] {
  const elements = [...elementsOf(tree.document)];
  const { declared, permissions } = workbookOf(tree);
  const charset = elements.find(
    (each) => isHtmlElement(each, 'meta') && attributeOf(each, 'charset') !== undefined,
  );
  const mayCall = permissions.includes('net');
  const first = [
    charset ? '' : '<meta charset="utf-8">',
    // Without the permission nothing may be sent, however the page is opened.
    mayCall ? '' : `<meta http-equiv="Content-Security-Policy" content="connect-src data: blob:">`,
    declared ? '' : permissionTags([], {}),
    elements.some((each) => isMeta(each, 'wb-kind'))
      ? ''
      : `<meta name="wb-kind" content="${workbookOf(tree).kind}">`,
    fetchedFiles(page.fetched),
    page.usesRuntime && part ? inlineScript(part('wb.global.js'), { 'data-wb-runtime': VERSION }) : '',
  ].filter((line) => line !== '');
  const start = charset?.sourceCodeLocation?.endOffset ?? startOfHead(text, tree, elements);
  const head = elements.find((each) => isHtmlElement(each, 'head'))?.sourceCodeLocation;
  const end = Math.max(start, head?.endTag?.startOffset ?? start);
  return [
    { start, end: start, text: first.map((line) => `\n${line}`).join('') },
    ...(styles === '' ? [] : [{ start: end, end, text: `${styles}\n` }]),
  ];
}

function startOfHead(text: string, tree: HtmlTree, elements: readonly Element[]): number {
  for (const name of ['head', 'html']) {
    const tag = elements.find((each) => isHtmlElement(each, name))?.sourceCodeLocation?.startTag;
    if (tag) return tag.endOffset;
  }
  return startOfPage(text, tree);
}

/** The files that scripts fetch, and the function that finds them. */
function fetchedFiles(fetched: ReadonlyMap<string, Uint8Array>): string {
  if (fetched.size === 0) return '';
  const entries = [...fetched].sort(([a], [b]) => (a < b ? -1 : 1));
  const files = entries.map(([path, content]) => [path, [mediaTypeOf(path), encodeBase64(content)]] as const);
  const data = inlineScript(JSON.stringify(Object.fromEntries(files)), {
    type: 'application/json',
    id: 'wb-files',
  });
  return `${data}\n${inlineScript(FILE_READER)}`;
}

const FILE_READER = `globalThis.${FILE_CALL} = (path) => {
  const [type, data] = JSON.parse(document.getElementById('wb-files').textContent)[path];
  const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  return Promise.resolve(new Response(bytes, { headers: { 'content-type': type } }));
};`;

/** Sorted by file and line; a problem that two checks found is reported once. */
function inOrder(problems: readonly FileProblem[]): FileProblem[] {
  const unique = new Map(problems.map((each) => [JSON.stringify(each), each]));
  return [...unique.values()].sort(
    (a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
  );
}
