/**
 * What a script loads when it runs. A `fetch` of a file by its literal path becomes a lookup in the page; the rest is
 * refused, because nothing would answer it.
 */
import { isInside, type Permission, type Span, workbookProblems } from '@woof/documents/workbook';
import { applyEdits, type Edit } from './edits.ts';
import { type FolderFiles, isRemote } from './folder-files.ts';
import {
  BadSyntax,
  beginningOf,
  literalOf,
  nameOf,
  nodesOf,
  parseScript,
  type SyntaxNode,
} from './script-tree.ts';

export interface ScriptText {
  code: string;
  /** The file that contains it, and the offset: a script may be inline in a page. */
  file: string;
  offset: number;
  isModule: boolean;
  /** Code of a package that the author uses: it may never use what it is capable of. */
  isForeign?: boolean;
}

export interface InliningPage {
  files: FolderFiles;
  permissions: readonly Permission[];
  /** Files that scripts fetch, by path. */
  fetched: Map<string, Uint8Array>;
  /** Whether a module imports the runtime; set while modules are bundled. */
  usesRuntime?: boolean;
}

/** The function that a page calls to get a file that it contains. */
export const FILE_CALL = '__wbFile';

export function inlineScriptLoads(page: InliningPage, script: ScriptText): string {
  const at = (node: { start: number; end: number }): Span =>
    page.files.span(script.file, script.offset + node.start, script.offset + node.end);
  let tree: SyntaxNode;
  try {
    tree = parseScript(script.code, script.file, script.isModule);
  } catch (error) {
    if (!(error instanceof BadSyntax)) throw error;
    const place = at({ start: error.offset, end: error.offset + 1 });
    page.files.refuse(script.file, workbookProblems.badScript(place, error.message));
    return script.code;
  }
  const edits: Edit[] = [];
  const taken = new Set<unknown>();
  for (const node of nodesOf(tree))
    if (!taken.has(node)) edits.push(...editsOf(page, script, node, at, taken));
  return applyEdits(script.code, edits);
}

type At = (node: { start: number; end: number }) => Span;

function editsOf(
  page: InliningPage,
  script: ScriptText,
  node: SyntaxNode,
  at: At,
  taken: Set<unknown>,
): Edit[] {
  const refuse = (what: string, fix: string) =>
    page.files.refuse(script.file, workbookProblems.cannotInline(at(node), what, fix));
  const name = nameOf(node.callee).replace(/^(window|self|globalThis)\./, '');
  const [first, second] = (node.arguments ?? []) as SyntaxNode[];
  if (node.type === 'ImportExpression') {
    if (literalOf(node.source) === undefined)
      page.files.refuse(script.file, workbookProblems.dynamic(at(node), 'an import'));
  } else if (node.type === 'NewExpression') {
    const url = name === 'URL' && nameOf(second) === 'import.meta.url' ? literalOf(first) : undefined;
    if (url !== undefined) return assetEdits(page, script, node, url, at);
    if (/^(Shared)?Worker$/.test(name) && isFileAddress(first)) {
      taken.add(first);
      refuse(`${name} runs another file`, 'create it from a Blob with its text');
    }
    if (name === 'EventSource' && literalOf(first) !== undefined && !isRemote(literalOf(first)!))
      refuse('EventSource needs a server', 'put the data into the page');
  } else if (node.type === 'CallExpression') {
    if (name === 'fetch') return fetchEdits(page, script, node, first, at, taken);
    if (name === 'importScripts') refuse('importScripts loads other files', 'import them in a module');
    if (name.endsWith('serviceWorker.register'))
      refuse('a service worker must be a separate file', 'remove it');
    if (name.endsWith('.open') && isRelativeRequest(first, second))
      refuse(
        `XMLHttpRequest loads ${JSON.stringify(literalOf(second))}`,
        'use fetch with the same literal path',
      );
  }
  return [];
}

function isFileAddress(node: SyntaxNode | undefined): boolean {
  const url = node?.type === 'NewExpression' ? (node.arguments as SyntaxNode[])[0] : node;
  const literal = literalOf(url);
  return literal !== undefined && !isInside(literal);
}

function isRelativeRequest(method: unknown, url: unknown): boolean {
  const literal = literalOf(url);
  return (
    /^(GET|POST|HEAD|PUT)$/i.test(literalOf(method) ?? '') && literal !== undefined && !isRemote(literal)
  );
}

/** `new URL('./x.png', import.meta.url)`: an address that stands for the file's content. */
function assetEdits(page: InliningPage, script: ScriptText, node: SyntaxNode, url: string, at: At): Edit[] {
  const found = page.files.find(url, script.file, at(node));
  if (!found) return [];
  return [
    { start: node.start, end: node.end, text: `new URL(${JSON.stringify(page.files.dataUrl(found))})` },
  ];
}

function fetchEdits(
  page: InliningPage,
  script: ScriptText,
  node: SyntaxNode,
  first: SyntaxNode | undefined,
  at: At,
  taken: Set<unknown>,
): Edit[] {
  const address = first?.type === 'NewExpression' && nameOf(first.callee) === 'URL' ? first : undefined;
  const [inner, base] = (address?.arguments ?? []) as SyntaxNode[];
  // A relative path of `fetch` starts at the page, one of `new URL(…, import.meta.url)` at the module.
  const atModule = nameOf(base) === 'import.meta.url';
  const url = atModule ? literalOf(inner) : literalOf(first);
  const online = page.permissions.includes('net');
  if (atModule) taken.add(first);
  if (url === undefined) {
    const beginning = beginningOf(first);
    if (online || script.isForeign || isInside(beginning || 'x')) return [];
    const problem = isRemote(beginning)
      ? workbookProblems.undeclared(at(node), 'net', `fetch of ${JSON.stringify(beginning)}`)
      : workbookProblems.dynamic(at(node), 'fetch');
    page.files.refuse(script.file, problem);
    return [];
  }
  if (isInside(url) || (isRemote(url) && (online || script.isForeign))) return [];
  if (isRemote(url)) {
    const what = `fetch of ${JSON.stringify(url)}`;
    page.files.refuse(script.file, workbookProblems.undeclared(at(node), 'net', what));
    return [];
  }
  const found = atModule
    ? page.files.find(url, script.file, at(node))
    : page.files.find(`/${url.replace(/^\//, '')}`, script.file, at(node));
  if (!found) return [];
  page.fetched.set(found.path, found.content);
  return [{ start: node.start, end: node.end, text: `${FILE_CALL}(${JSON.stringify(found.path)})` }];
}
