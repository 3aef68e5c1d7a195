/** A workbook as a host sees it: tags found by name and id, in any place and with attributes in any order. */
import { BUNDLE_ID, BUNDLE_TYPE, type BundleTag, readBundleTag } from './bundle-tag.ts';
import { type Reasons, readPermissions } from './declared-permissions.ts';
import {
  attributeOf,
  type Element,
  elementsOf,
  type HtmlTree,
  isHtmlElement,
  parseHtml,
  textOf,
} from './html-tree.ts';
import type { Permission } from './permissions.ts';

export type WorkbookKind = 'document' | 'notebook' | 'spa' | 'presentation';
export const KINDS: readonly WorkbookKind[] = ['document', 'notebook', 'spa', 'presentation'];

/** The length of a title; nothing shows more. */
const TITLE_LENGTH = 1000;

export interface Workbook {
  title: string;
  lang?: string;
  kind: WorkbookKind;
  /** Empty if the tag is missing: absent means none. */
  permissions: Permission[];
  reasons: Reasons;
  /** Whether there is a permissions tag. */
  declared: boolean;
  /** Unknown permissions in the tag. */
  unknown: string[];
  /** Names of values that it wants from its host (`wb-env`). */
  env: string[];
  /** The first, if there are several. */
  bundle?: BundleTag;
  /** How many tags claim to be the source bundle. */
  bundles: number;
  /** The version of the runtime that it contains. */
  runtime?: string;
  /** Whether the text has an element or a doctype at all. */
  isHtml: boolean;
}

export function readWorkbook(text: string): Workbook {
  return workbookOf(parseHtml(text));
}

export function workbookOf({ document }: HtmlTree): Workbook {
  const elements = [...elementsOf(document)];
  const permissions = metaOf(elements, 'wb-permissions');
  const asked = readPermissions(permissions ?? 'none', metaOf(elements, 'wb-permission-reasons'));
  const title = elements.find((element) => isHtmlElement(element, 'title'));
  const root = elements.find((element) => isHtmlElement(element, 'html'));
  const lang = root && attributeOf(root, 'lang');
  const runtime = elements.map((element) => attributeOf(element, 'data-wb-runtime')).find(Boolean);
  const bundles = elements.filter(isBundle);
  const [bundle] = bundles;
  return {
    title: title ? textOf(title).trim().slice(0, TITLE_LENGTH).replaceAll(/\s+/g, ' ').trim() : '',
    ...(lang ? { lang } : {}),
    kind: kindOf(elements),
    permissions: asked.permissions,
    reasons: asked.reasons,
    declared: permissions !== undefined,
    unknown: asked.unknown,
    env: namesIn(metaOf(elements, 'wb-env') ?? ''),
    ...(bundle ? { bundle: readBundleTag((name) => attributeOf(bundle, name), textOf(bundle)) } : {}),
    bundles: bundles.length,
    ...(runtime ? { runtime } : {}),
    isHtml:
      elements.some(({ sourceCodeLocation }) => Boolean(sourceCodeLocation)) ||
      document.childNodes.some(({ nodeName }) => nodeName === '#documentType'),
  };
}

const MOST_NAMES = 100;

function namesIn(content: string): string[] {
  const names = content.split(/[\s,]+/).filter((name) => /^[A-Za-z_]\w{0,99}$/.test(name));
  return [...new Set(names)].slice(0, MOST_NAMES);
}

/** The standard identifies it by its type, hosts by its id: a tag with either claims to be one. */
export function isBundle(element: Element): boolean {
  if (!isHtmlElement(element, 'script')) return false;
  return attributeOf(element, 'id') === BUNDLE_ID || hasBundleType(element);
}

export function hasBundleType(element: Element): boolean {
  return (attributeOf(element, 'type') ?? '').trim().toLowerCase() === BUNDLE_TYPE;
}

export function isMeta(element: Element, name: string): boolean {
  return isHtmlElement(element, 'meta') && attributeOf(element, 'name')?.trim().toLowerCase() === name;
}

function metaOf(elements: readonly Element[], name: string): string | undefined {
  const meta = elements.find((element) => isMeta(element, name));
  return meta && (attributeOf(meta, 'content') ?? '');
}

/** As declared; else judged by its elements. */
function kindOf(elements: readonly Element[]): WorkbookKind {
  const root = elements.find(({ tagName }) => tagName === 'wb-workbook');
  const said = metaOf(elements, 'wb-kind') ?? (root && attributeOf(root, 'kind'));
  const kind = KINDS.find((known) => known === said?.trim().toLowerCase());
  if (kind) return kind;
  if (elements.some(({ tagName }) => tagName === 'wb-cell')) return 'notebook';
  return elements.some((element) => isHtmlElement(element, 'script') && !isBundle(element))
    ? 'spa'
    : 'document';
}
