/** Workbooks: one HTML file that opens anywhere, says what it asks for, and holds its sources. Runs in browsers too. */
export { decodeBase64, encodeBase64 } from './base64.ts';
export { pathProblems } from './bundle-paths.ts';
export { type BundleTag, printBundleTag } from './bundle-tag.ts';
export { embedBundle } from './embed-bundle.ts';
export { escapeAttribute, escapeText, inlineScript, inlineStyle } from './inline-text.ts';
export { PERMISSIONS, type Permission, type Reasons, readPermissions } from './permissions.ts';
export { readWorkbook, type Workbook, type WorkbookKind } from './read-workbook.ts';
export {
  type BundleFile,
  BundleTooLarge,
  type Gunzip,
  type Gzip,
  packBundle,
  type SourceBundle,
  type Unpacked,
  unpackBundle,
} from './source-bundle.ts';
export { type WorkbookParts, writeWorkbook } from './write-workbook.ts';
