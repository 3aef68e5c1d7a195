/**
 * Whether a page conforms to the standard: valid HTML, self-contained, permissions that match its code, a bundle that
 * opens.
 */
import type { Diagnostic } from '@woof/net';
import type { ParserError } from 'parse5';
import type { Span } from '../yaml/source.ts';
import { BUNDLE_ID } from './bundle-tag.ts';
import { codeUses, importsOf } from './code-uses.ts';
import { cssReferences } from './css-references.ts';
import { readPermissions } from './declared-permissions.ts';
import { workbookProblems as problems } from './diagnostics.ts';
import { elementReferences, isInside } from './element-references.ts';
import { findSecrets, secretsInPage } from './find-secrets.ts';
import {
  attributeOf,
  type Element,
  elementsOf,
  type HtmlTree,
  isHtmlElement,
  isShadowRoot,
  PageTooLarge,
  parseHtml,
  type Tag,
  textOf,
} from './html-tree.ts';
import { misplacedTags } from './misplaced-tags.ts';
import { PERMISSIONS, type Permission, permissionTraits } from './permissions.ts';
import { hasBundleType, isBundle, isMeta, workbookOf } from './read-workbook.ts';
import { type Gunzip, type UnpackFault, unpackBundle } from './source-bundle.ts';

const START: Span = { line: 1, column: 1, endColumn: 2 };
const LONGEST_WORD = 100;
/** More of one kind add no information. */
const LIMIT = 200;

export function checkWorkbook(text: string, gunzip: Gunzip): Diagnostic[] {
  try {
    return inOrder(errorsFirst(problemsOf(text, gunzip)).slice(0, LIMIT));
  } catch (error) {
    if (error instanceof PageTooLarge) return [problems.tooLarge(START, `the page has ${error.message}`)];
    throw error;
  }
}

function problemsOf(text: string, gunzip: Gunzip): Diagnostic[] {
  const tags: Tag[] = [];
  const tree = parseHtml(text, (tag) => tags.push(tag));
  const workbook = workbookOf(tree);
  if (!workbook.isHtml) return [problems.notHtml(START)];
  const elements = [...elementsOf(tree.document)];
  const parts = partsOf(tree);
  return [
    ...tree.errors.map((error) => problems.invalidHtml(errorPlace(error, text), error.code)),
    ...misplacedTags(tree, tags, text)
      .slice(0, LIMIT)
      .map(({ line, column, length, what }) => {
        return problems.misplacedTag({ line, column, endColumn: column + length }, what);
      }),
    ...parts.flatMap(externalOf),
    ...duplicates(elements),
    ...permissionProblems(elements, parts),
    ...secretsInPage(text).map(({ line = 1, column = 1, what, excerpt = '' }) =>
      problems.pageSecret({ line, column, endColumn: column + 1 }, what, excerpt),
    ),
    ...bundleProblems(elements, workbook.bundle && unpackBundle(workbook.bundle, gunzip)),
  ];
}

/** The parser reports where it noticed an error; for a reference or an attribute, readers look for its beginning. */
function errorPlace({ code, startLine, startCol, startOffset }: ParserError, text: string): Span {
  const before = text.slice(Math.max(0, startOffset - LONGEST_WORD), startOffset);
  const word = code.includes('character-reference') ? /&[^&\s]*$/ : /[^\s"'<>/=]*$/;
  const isLate = code.includes('character-reference') || code === 'duplicate-attribute';
  const length = isLate ? (word.exec(before)?.[0].length ?? 0) : 0;
  return { line: startLine, column: startCol - length, endColumn: Math.max(startCol, startCol - length + 1) };
}

export function placeOf(element: Element): Span {
  const at = element.sourceCodeLocation;
  const { startLine: line, startCol: column } = at?.startTag ?? at ?? { startLine: 1, startCol: 1 };
  return { line, column, endColumn: column + 1 + element.tagName.length };
}

/**
 * An element that a browser shows, and the place to report: for one in an inner page, the element that contains the
 * page.
 */
interface Part {
  element: Element;
  holder: Element;
}

/** More than hosts inspect: shadow roots load and run their content, and so do pages in `srcdoc`. */
function partsOf({ document }: HtmlTree): Part[] {
  return [...elementsOf(document, isShadowRoot)].flatMap((holder) =>
    [holder, ...innerPage(holder)].map((element) => ({ element, holder })),
  );
}

function innerPage(element: Element): Element[] {
  const text = isHtmlElement(element, 'iframe') ? attributeOf(element, 'srcdoc') : undefined;
  return text === undefined ? [] : [...elementsOf(parseHtml(text).document, isShadowRoot)];
}

function externalOf({ element, holder }: Part): Diagnostic[] {
  const at = placeOf(holder);
  const found = elementReferences(element).map(({ url }) =>
    problems.external(at, `<${element.tagName}>`, url),
  );
  const styleName = element.tagName === 'style' ? '<style>' : `the style of <${element.tagName}>`;
  const styles = element.tagName === 'style' ? textOf(element) : (attributeOf(element, 'style') ?? '');
  for (const { url } of cssReferences(styles))
    if (!isInside(url)) found.push(problems.external(at, styleName, url));
  for (const { specifier } of isScript(element) ? importsOf(textOf(element)) : [])
    if (!isInside(specifier)) found.push(problems.external(at, 'an import', specifier));
  return found;
}

/** Scripts that run, including those of SVG; data and the bundle do not. */
function isScript(element: Element): boolean {
  if (element.tagName !== 'script' || isBundle(element)) return false;
  const type = (attributeOf(element, 'type') ?? '').trim().toLowerCase();
  return /^$|^module$|^(text|application)\/(x-)?(java|ecma)script$/.test(type);
}

function duplicates(elements: readonly Element[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  const ids = new Set<string>();
  for (const element of elements) {
    const id = attributeOf(element, 'id');
    if (id === undefined || id === '') continue;
    if (ids.has(id))
      found.push(
        id.startsWith('wb-')
          ? problems.duplicateTag(placeOf(element), `the tag with the id "${id}"`)
          : problems.repeatedId(placeOf(element), id),
      );
    ids.add(id);
  }
  const metas = elements.filter((element) => isMeta(element, 'wb-permissions')).slice(1);
  return [...found, ...metas.map((meta) => problems.duplicateTag(placeOf(meta), 'the tag wb-permissions'))];
}

function permissionProblems(elements: readonly Element[], parts: readonly Part[]): Diagnostic[] {
  const meta = elements.find((element) => isMeta(element, 'wb-permissions'));
  const at = meta ? placeOf(meta) : START;
  const asked = readPermissions(meta ? (attributeOf(meta, 'content') ?? '') : 'none');
  const uses = usesOf(parts, elements.some(forbidsNet));
  const hasRuntime = elements.some(isRuntime);
  const needed = PERMISSIONS.filter((permission) => uses.has(permission));
  const undeclared = needed.filter((permission) => !asked.permissions.includes(permission));
  return [
    ...(meta ? [] : [problems.noPermissions(at)]),
    ...asked.unknown.map((word) => problems.unknownPermission(at, word, ['none', ...PERMISSIONS])),
    ...(asked.contradictory ? [problems.contradiction(at)] : []),
    ...undeclared.map((permission) =>
      problems.undeclared(uses.get(permission)!.at, permission, uses.get(permission)!.what),
    ),
    ...asked.permissions
      .filter((each) => !uses.has(each) && !(hasRuntime && permissionTraits(each).isInRuntime))
      .map((each) => problems.unused(at, each)),
  ];
}

const isRuntime = (element: Element) => attributeOf(element, 'data-wb-runtime') !== undefined;

/** The first use of each permission. If the page's policy lets nothing out, names of the network are harmless. */
function usesOf(parts: readonly Part[], sealed: boolean): Map<Permission, { at: Span; what: string }> {
  const uses = new Map<Permission, { at: Span; what: string }>();
  for (const { element, holder } of parts) {
    for (const { permission, what, offset, text } of usesIn(element)) {
      if (uses.has(permission) || (permission === 'net' && sealed)) continue;
      const at = element === holder ? placeIn(element, text, offset) : placeOf(holder);
      uses.set(permission, { at, what });
    }
  }
  return uses;
}

function usesIn(element: Element) {
  const isModule = attributeOf(element, 'type')?.trim().toLowerCase() === 'module';
  // The runtime uses only what the page around it requests, and nothing by itself.
  const scripts = isScript(element) && !isRuntime(element) ? [textOf(element)] : [];
  const handlers = element.attrs.filter(({ name }) => /^on[a-z]+$/.test(name)).map(({ value }) => value);
  const inScripts = scripts.flatMap((text) => codeUses(text, isModule).map((use) => ({ ...use, text })));
  return [
    ...inScripts,
    ...handlers.flatMap((text) => codeUses(text).map((use) => ({ ...use, text: '', offset: 0 }))),
  ];
}

function forbidsNet(element: Element): boolean {
  if (!isHtmlElement(element, 'meta')) return false;
  if (attributeOf(element, 'http-equiv')?.toLowerCase() !== 'content-security-policy') return false;
  const directives = (attributeOf(element, 'content') ?? '')
    .split(';')
    .map((each) => each.trim().toLowerCase());
  const of = (name: string) => directives.find((each) => each.startsWith(`${name} `))?.slice(name.length + 1);
  const sources = of('connect-src') ?? of('default-src');
  return sources?.split(/\s+/).every((each) => /^('none'|data:|blob:)$/.test(each)) ?? false;
}

/** Converts an offset in a script to a place in the page. */
function placeIn(element: Element, text: string, offset: number): Span {
  const tag = element.sourceCodeLocation?.startTag;
  if (!tag || text === '') return placeOf(element);
  const before = text.slice(0, offset).split('\n');
  const column = before.length === 1 ? tag.endCol + offset : before.at(-1)!.length + 1;
  const line = tag.endLine + before.length - 1;
  return { line, column, endColumn: column + 1 };
}

function bundleProblems(
  elements: readonly Element[],
  unpacked: ReturnType<typeof unpackBundle> | undefined,
): Diagnostic[] {
  const tag = elements.find(isBundle);
  if (!tag || !unpacked) return [problems.noBundle(START)];
  const at = placeOf(tag);
  const hasId = attributeOf(tag, 'id') === BUNDLE_ID;
  const files = unpacked.bundle?.files ?? [];
  return [
    ...(hasBundleType(tag) ? [] : [problems.bundleType(at, attributeOf(tag, 'type'))]),
    ...(hasId ? [] : [problems.bundleId(at)]),
    ...unpacked.faults.map((fault) => faultProblem(at, fault)),
    ...files.filter(({ content }) => !content).map(({ path }) => problems.bundleIncomplete(at, path)),
    ...files.flatMap(({ path, content }) =>
      content
        ? findSecrets(path, content).map(({ what, line, excerpt }) =>
            problems.bundleSecret(at, line ? `${path}:${line}` : path, what, excerpt),
          )
        : [],
    ),
  ];
}

export function faultProblem(at: Span, fault: UnpackFault): Diagnostic {
  switch (fault.kind) {
    case 'version':
      return problems.bundleVersion(at, fault.got);
    case 'format':
      return problems.bundleFormat(at, fault.got);
    case 'base64':
      return problems.bundleDamaged(at, 'it is not base64');
    case 'gzip':
      return problems.bundleDamaged(at, 'it is not valid gzip');
    case 'json':
      return problems.bundleDamaged(at, fault.why);
    case 'too-large':
      return problems.bundleTooLarge(at);
    case 'path':
      return problems.bundlePath(at, fault.path, fault.why);
    case 'attributes':
      return problems.bundleAttributes(at, fault.why);
  }
}

/** Errors come first, so that they are not cut off at the end. */
function errorsFirst(found: readonly Diagnostic[]): Diagnostic[] {
  const isError = ({ severity }: Diagnostic) => severity === 'error';
  return [...found.filter(isError), ...found.filter((each) => !isError(each))];
}

function inOrder(found: readonly Diagnostic[]): Diagnostic[] {
  return [...found].sort((a, b) => a.line - b.line || a.column - b.column);
}
