/**
 * A page with everything that it loads inlined. Works on the text of the page by the parser's offsets, so that what
 * needs no change stays as its author wrote it.
 */
import {
  attributeOf,
  candidatesOf,
  cssReferences,
  type Element,
  type ElementReference,
  elementReferences,
  elementsOf,
  escapeAttribute,
  escapeScript,
  type HtmlTree,
  inlineScript,
  inlineStyle,
  isHtmlElement,
  isInside,
  parseHtml,
  placeOf,
  textOf,
  workbookProblems,
} from '@woof/documents/workbook';
import { bundleModules, type ModuleScript, refuseUndeclared } from './bundle-modules.ts';
import type { Edit } from './edits.ts';
import { type FoundFile, isRemote } from './folder-files.ts';
import { type InliningPage, inlineScriptLoads } from './inline-script-loads.ts';
import { inlineStyleSheet, sheetText } from './inline-style-sheet.ts';
import { refusePolicy } from './refuse-policy.ts';

const PAGE = 'index.html';

/** What inlining collects while it visits the elements. */
interface Work {
  page: InliningPage;
  text: string;
  edits: Edit[];
  modules: (ModuleScript & Edit)[];
  /** Scripts that ran after the page was parsed, in their order. */
  deferred: string[];
  imports: Record<string, string>;
}

export interface InlinedPage {
  edits: Edit[];
  /** HTML for the end of the head and the end of the body. */
  head: string;
  body: string;
}

export async function inlinePage(page: InliningPage, text: string, tree: HtmlTree): Promise<InlinedPage> {
  const work: Work = { page, text, edits: [], modules: [], deferred: [], imports: {} };
  // Includes the content of templates, which becomes part of the page when a script inserts it.
  for (const element of elementsOf(tree.document, () => true)) inlineElement(work, element);
  const styles = await inlineModules(work);
  return {
    edits: work.edits,
    head: styles.map((style) => inlineStyle(style)).join('\n'),
    body: work.deferred.join('\n'),
  };
}

function inlineElement(work: Work, element: Element): void {
  if (isHtmlElement(element, 'script')) inlineScriptElement(work, element);
  else if (element.tagName === 'style') inlineStyleElement(work, element);
  else inlineOther(work, element);
}

/** What no text can replace. */
const REFUSALS: Partial<Record<ElementReference['use'], readonly [what: string, fix: string]>> = {
  base: ['<base> changes where relative addresses lead', 'remove it'],
  frame: ['it shows another page', 'put the content of that page into this one'],
  sprite: ['<use> shows a part of another file', 'put the symbol into this page'],
  refresh: ['the page redirects to another page', 'remove the refresh'],
  script: ['a script inside SVG is in another file', 'load it from HTML'],
};

function inlineOther(work: Work, element: Element): void {
  inlineStyleAttribute(work, element);
  inlineHandlers(work, element);
  refusePolicy(work.page.files, element);
  warnOfLinks(work, element);
  refuseInnerPage(work, element);
  const media = new Set<string>();
  for (const { use, url, attribute } of elementReferences(element)) {
    const refusal = use === 'base' && /^\.?\/?$/.test(url) ? undefined : REFUSALS[use];
    if (refusal) work.page.files.refuse(PAGE, workbookProblems.cannotInline(placeOf(element), ...refusal));
    if (use === 'manifest') work.page.files.warn(PAGE, workbookProblems.leftOut(placeOf(element), url));
    if (use === 'hint' || use === 'manifest') replaceElement(work, element, '');
    if (use === 'style') inlineSheetLink(work, element, url);
    if (use === 'media') media.add(attribute);
  }
  for (const attribute of media) inlineMedia(work, element, attribute);
}

function inlineMedia(work: Work, element: Element, name: string): void {
  const value = element.attrs.find(
    (each) => (each.prefix ? `${each.prefix}:${each.name}` : each.name) === name,
  )!.value;
  const inlined = (url: string): string => {
    const found = find(work, url, element);
    return found ? work.page.files.dataUrl(found) : url;
  };
  const replaced =
    name === 'srcset'
      ? candidatesOf(value)
          .map(({ url, descriptor }) => `${inlined(url)} ${descriptor}`.trim())
          .join(', ')
      : inlined(value.trim());
  setAttribute(work, element, name, replaced);
}

function inlineSheetLink(work: Work, element: Element, url: string): void {
  const isSpare =
    /\balternate\b/i.test(attributeOf(element, 'rel')!) || attributeOf(element, 'disabled') !== undefined;
  if (isSpare) {
    work.page.files.warn(PAGE, workbookProblems.leftOut(placeOf(element), url));
    replaceElement(work, element, '');
    return;
  }
  const found = find(work, url, element);
  if (!found) return;
  const text = sheetText(work.page.files, found.path);
  const css = inlineStyleSheet(work.page.files, { text, file: found.path, offset: 0 }, [found.path]);
  replaceElement(work, element, inlineStyle(css, keptAttributes(element)));
}

function inlineStyleElement(work: Work, element: Element): void {
  const { startTag, endTag } = element.sourceCodeLocation ?? {};
  if (!startTag || !endTag) return;
  const [start, end] = [startTag.endOffset, endTag.startOffset];
  const text = work.text.slice(start, end);
  if (cssReferences(text).every(({ url, conditions }) => conditions === undefined && isInside(url))) return;
  const css = inlineStyleSheet(work.page.files, { text, file: PAGE, offset: start });
  // The tags of a style have a fixed length; the text between them is escaped as in any other style.
  work.edits.push({ start, end, text: inlineStyle(css).slice('<style>'.length, -'</style>'.length) });
}

function inlineStyleAttribute(work: Work, element: Element): void {
  const style = attributeOf(element, 'style');
  const place = element.sourceCodeLocation?.attrs?.style;
  if (style === undefined || !place || cssReferences(style).every(({ url }) => isInside(url))) return;
  const css = inlineStyleSheet(work.page.files, { text: style, file: PAGE, offset: place.startOffset });
  setAttribute(work, element, 'style', css);
}

/** `onclick="…"` is the body of a function. */
function inlineHandlers(work: Work, element: Element): void {
  for (const { name, value } of element.attrs) {
    const place = element.sourceCodeLocation?.attrs?.[name];
    if (!place || !/^on[a-z]+$/.test(name)) continue;
    const code = `${FUNCTION}${value}\n}`;
    const inlined = classic(work, code, PAGE, place.startOffset - FUNCTION.length);
    if (inlined !== code) setAttribute(work, element, name, inlined.slice(FUNCTION.length, -2));
  }
}
const FUNCTION = 'async function handle(event) {';

const CLASSIC = /^$|^(text|application)\/(x-)?(java|ecma)script$/i;

function inlineScriptElement(work: Work, element: Element): void {
  const type = (attributeOf(element, 'type') ?? '').trim();
  const src = attributeOf(element, 'src');
  // Browsers that support modules ignore these.
  if (attributeOf(element, 'nomodule') !== undefined) replaceElement(work, element, '');
  else if (/^importmap$/i.test(type)) readImportMap(work, element);
  else if (/^module$/i.test(type)) moduleScript(work, element, src);
  else if (src !== undefined) fileScript(work, element, src, CLASSIC.test(type));
  else if (CLASSIC.test(type)) writtenScript(work, element);
}

/** Modules run after the page is parsed, wherever they are; all become one, in the place of the last. */
function moduleScript(work: Work, element: Element, src: string | undefined): void {
  const { startOffset: start, endOffset: end, startTag, endTag } = element.sourceCodeLocation!;
  if (!startTag || !endTag) return;
  if (src === undefined) {
    const code = work.text.slice(startTag.endOffset, endTag.startOffset);
    work.modules.push({ code, offset: startTag.endOffset, start, end, text: '' });
    return;
  }
  const found = find(work, src, element);
  if (found) work.modules.push({ path: found.path, code: '', offset: 0, start, end, text: '' });
}

async function inlineModules(work: Work): Promise<string[]> {
  const last = work.modules.at(-1);
  if (!last) return [];
  const { code, styles } = await bundleModules(work.page, work.modules, work.imports);
  for (const module of work.modules) {
    const text = module === last ? inlineScript(code, { type: 'module' }) : '';
    work.edits.push({ start: module.start, end: module.end, text });
  }
  return styles;
}

function fileScript(work: Work, element: Element, src: string, runs: boolean): void {
  const found = find(work, src, element);
  if (!found) return;
  const code = work.page.files.text(found.path).replace(/^\uFEFF/, '');
  const attributes = keptAttributes(element);
  if (!runs) {
    try {
      replaceElement(work, element, inlineScript(code, attributes));
    } catch (error) {
      const what = (error as Error).message;
      work.page.files.refuse(
        PAGE,
        workbookProblems.cannotInline(placeOf(element), what, 'write it in another way'),
      );
    }
    return;
  }
  const inlined = classic(work, code, found.path, 0);
  const late = attributeOf(element, 'defer') !== undefined || attributeOf(element, 'async') !== undefined;
  replaceElement(work, element, late ? '' : inlineScript(inlined, attributes));
  if (late) work.deferred.push(inlineScript(inlined, attributes));
}

function writtenScript(work: Work, element: Element): void {
  const { startTag, endTag } = element.sourceCodeLocation ?? {};
  if (!startTag || !endTag) return;
  const [start, end] = [startTag.endOffset, endTag.startOffset];
  const code = work.text.slice(start, end);
  const inlined = classic(work, code, PAGE, start);
  if (inlined !== code) work.edits.push({ start, end, text: escapeScript(inlined) });
}

function classic(work: Work, code: string, file: string, offset: number): string {
  refuseUndeclared(work.page, code, file, offset);
  return inlineScriptLoads(work.page, { code, file, offset, isModule: false });
}

/** Everything that it maps is bundled, so nothing is left to map. */
function readImportMap(work: Work, element: Element): void {
  try {
    const { imports = {}, scopes } = JSON.parse(textOf(element)) as {
      imports?: Record<string, string>;
      scopes?: unknown;
    };
    if (scopes !== undefined) throw new Error('scopes');
    for (const [name, target] of Object.entries(imports))
      work.imports[name] = isRemote(target) ? target : `/${target.replace(/^\.?\//, '')}`;
  } catch {
    const problem = workbookProblems.cannotInline(
      placeOf(element),
      'the import map cannot be read',
      'use only `imports` in it',
    );
    work.page.files.refuse(PAGE, problem);
  }
  replaceElement(work, element, '');
}

function warnOfLinks(work: Work, element: Element): void {
  const href = /^(a|area)$/.test(element.tagName) ? attributeOf(element, 'href') : undefined;
  if (href === undefined || isInside(href) || isRemote(href)) return;
  work.page.files.warn(PAGE, workbookProblems.leftOut(placeOf(element), href));
}

function refuseInnerPage(work: Work, element: Element): void {
  const inner = attributeOf(element, 'srcdoc');
  if (inner === undefined || !isHtmlElement(element, 'iframe')) return;
  for (const part of elementsOf(parseHtml(inner).document))
    for (const { url } of elementReferences(part))
      work.page.files.refuse(
        PAGE,
        workbookProblems.cannotInline(
          placeOf(element),
          `the page in srcdoc loads ${url}`,
          'use a data: address',
        ),
      );
}

function find(work: Work, url: string, element: Element): FoundFile | undefined {
  return work.page.files.find(url, PAGE, placeOf(element));
}

/** All attributes except those that determine from where, and when, a file is loaded. */
function keptAttributes(element: Element): Record<string, string> {
  const found = element.attrs.filter(({ name }) => /^[a-z][a-z0-9_-]*$/.test(name) && !LOADING.has(name));
  return Object.fromEntries(found.map(({ name, value }) => [name, value]));
}
const LOADING = new Set(
  ['src', 'href', 'rel', 'defer', 'async', 'integrity', 'crossorigin', 'charset', 'referrerpolicy'].concat([
    'fetchpriority',
    'blocking',
    'as',
    'hreflang',
    'sizes',
  ]),
);

function replaceElement(work: Work, element: Element, text: string): void {
  const place = element.sourceCodeLocation;
  if (place) work.edits.push({ start: place.startOffset, end: place.endOffset, text });
}

function setAttribute(work: Work, element: Element, name: string, value: string): void {
  const place = element.sourceCodeLocation?.attrs?.[name];
  if (place)
    work.edits.push({
      start: place.startOffset,
      end: place.endOffset,
      text: `${name}="${escapeAttribute(value)}"`,
    });
}
