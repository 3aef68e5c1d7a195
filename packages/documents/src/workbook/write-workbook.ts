/** A whole workbook from its parts: one HTML text, the same for the same parts. */
import { type BundleTag, printBundleTag } from './bundle-tag.ts';
import { printPermissions, printReasons, type Reasons } from './declared-permissions.ts';
import { escapeAttribute, escapeText, printAttributes } from './inline-text.ts';
import type { Permission } from './permissions.ts';
import type { WorkbookKind } from './read-workbook.ts';

export interface WorkbookParts {
  title: string;
  /** The language of the page; default: `en`. */
  lang?: string;
  kind: WorkbookKind;
  /** Attributes of the root element. */
  attributes?: Readonly<Record<string, string>>;
  permissions: readonly Permission[];
  reasons?: Reasons;
  /** A policy for the page itself. Only the encoding precedes it, which browsers look for in the first 1024 bytes. */
  csp?: string;
  /** Finished HTML. */
  head: string;
  body: string;
  bundle?: BundleTag;
}

export function writeWorkbook(parts: WorkbookParts): string {
  const {
    title,
    lang = 'en',
    kind,
    attributes = {},
    permissions,
    reasons = {},
    csp,
    head,
    body,
    bundle,
  } = parts;
  const lines = [
    '<!doctype html>',
    `<html${printAttributes({ lang, ...attributes })}>`,
    '<head>',
    '<meta charset="utf-8">',
    csp === undefined ? '' : `<meta http-equiv="Content-Security-Policy" content="${escapeAttribute(csp)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeText(title)}</title>`,
    permissionTags(permissions, reasons),
    meta('wb-kind', kind),
    head,
    '</head>',
    '<body>',
    body,
    bundle === undefined ? '' : printBundleTag(bundle),
    '</body>',
    '</html>',
  ];
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}

export function permissionTags(permissions: readonly Permission[], reasons: Reasons): string {
  const printed = printReasons(reasons);
  const tags = [meta('wb-permissions', printPermissions(permissions))];
  if (printed !== '{}') tags.push(meta('wb-permission-reasons', printed));
  return tags.join('\n');
}

function meta(name: string, content: string): string {
  return `<meta name="${name}" content="${escapeAttribute(content)}">`;
}
