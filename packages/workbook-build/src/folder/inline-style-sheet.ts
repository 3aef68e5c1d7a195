/** A style sheet with everything that it loads inlined: images and fonts as data, imports in place. */
import { type CssReference, cssReferences, isInside, workbookProblems } from '@woof/documents/workbook';
import { applyEdits } from './edits.ts';
import type { FolderFiles } from './folder-files.ts';

export interface StyleText {
  text: string;
  /** The file that contains it, and the offset. */
  file: string;
  offset: number;
}

export function inlineStyleSheet(
  files: FolderFiles,
  style: StyleText,
  trail: readonly string[] = [],
): string {
  const edits = cssReferences(style.text).map(({ start, end, ...rest }) => {
    const reference: CssReference = { start, end, ...rest };
    return { start, end, text: replacement(files, style, reference, trail) };
  });
  return applyEdits(style.text, edits);
}

function replacement(
  files: FolderFiles,
  style: StyleText,
  reference: CssReference,
  trail: readonly string[],
): string {
  const { start, end, url, conditions } = reference;
  const asItWas = style.text.slice(start, end);
  if (conditions === undefined && isInside(url)) return asItWas;
  const at = files.span(style.file, style.offset + start, style.offset + end);
  const found = files.find(url, style.file, at);
  if (!found) return asItWas;
  if (conditions === undefined) return `url("${files.dataUrl(found)}")`;
  if (trail.includes(found.path)) {
    const fix = 'remove the import of itself';
    files.refuse(style.file, workbookProblems.cannotInline(at, `${found.path} imports itself`, fix));
    return '';
  }
  const text = sheetText(files, found.path);
  const inner = inlineStyleSheet(files, { text, file: found.path, offset: 0 }, [...trail, found.path]);
  return around(inner, conditions);
}

/** The encoding that a sheet declares has no meaning inside another. */
export function sheetText(files: FolderFiles, path: string): string {
  return files.text(path).replace(/^\uFEFF?\s*@charset\s+"[^"]*";/i, (said) => ' '.repeat(said.length));
}

/** `layer(x) supports(y) screen` on an import means the same as blocks around its content. */
function around(text: string, conditions: string): string {
  const {
    1: layer,
    2: layerName,
    3: supports,
    4: media = '',
  } = /^(layer(?:\(([^)]*)\))?(?![\w-]))?\s*(?:supports\(((?:[^()]|\([^()]*\))*)\))?\s*([\s\S]*)$/i.exec(
    conditions,
  )!;
  let wrapped = text;
  if (media !== '') wrapped = `@media ${media} {\n${wrapped}\n}`;
  if (supports !== undefined) wrapped = `@supports ${asCondition(supports)} {\n${wrapped}\n}`;
  if (layer !== undefined) wrapped = `@layer ${layerName ?? ''} {\n${wrapped}\n}`;
  return wrapped;
}

function asCondition(supports: string): string {
  return /^\s*(\(|not\b|selector\()/i.test(supports) ? supports : `(${supports})`;
}
