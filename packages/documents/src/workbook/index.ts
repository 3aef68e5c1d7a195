/**
 * Workbooks: one HTML file that opens anywhere, declares its permissions, and contains its sources. Runs in browsers
 * too.
 */

export { Source, type Span } from '../yaml/source.ts';
export { decodeBase64, encodeBase64 } from './base64.ts';
export { pathProblems } from './bundle-paths.ts';
export { type BundleTag, printBundleTag, readBundleTag } from './bundle-tag.ts';
export { checkWorkbook, faultProblem, placeOf } from './check-workbook.ts';
export { codeUses, importsOf } from './code-uses.ts';
export { type CssReference, cssReferences } from './css-references.ts';
export { type Reasons, readPermissions } from './declared-permissions.ts';
export { workbookProblems } from './diagnostics.ts';
export { candidatesOf, type ElementReference, elementReferences, isInside } from './element-references.ts';
export { embedBundle, endOfBody, startOfPage } from './embed-bundle.ts';
export { findSecrets, maskSecrets, type Secret } from './find-secrets.ts';
export {
  attributeOf,
  type Element,
  elementsOf,
  type HtmlTree,
  isHtmlElement,
  PageTooLarge,
  parseHtml,
  textOf,
} from './html-tree.ts';
export { isIgnored } from './ignored-names.ts';
export { escapeAttribute, escapeScript, escapeText, inlineScript, inlineStyle } from './inline-text.ts';
export { PERMISSIONS, type Permission, type PromptFacts, permissionTraits } from './permissions.ts';
export {
  hasBundleType,
  isBundle,
  isMeta,
  readWorkbook,
  type Workbook,
  type WorkbookKind,
  workbookOf,
} from './read-workbook.ts';
export {
  BUNDLE_LIMIT,
  type BundleFile,
  BundleTooLarge,
  FILE_COUNT_LIMIT,
  FILE_LIMIT,
  type Gunzip,
  type Gzip,
  PAGE_LIMIT,
  packBundle,
  type SourceBundle,
  type Unpacked,
  unpackBundle,
} from './source-bundle.ts';
export { permissionTags, type WorkbookParts, writeWorkbook } from './write-workbook.ts';
