/**
 * The YAML of a header in canonical form: known keys in order, the others after them as written; comments, quotes and
 * blocks are kept.
 *
 * Invariant: the result reads as the same values with the same comments, and formatting it again changes nothing. If
 * ordering would break that (an alias before its anchor), the order stays; if nothing can keep it, the text stays.
 */
import { type Document, isMap, isScalar } from 'yaml';
import { parseYaml } from '../yaml/parse.ts';
import { keyOf, readsTheSame, settle } from '../yaml/settle.ts';
import { printVerbatim } from '../yaml/verbatim.ts';
import { canonicalOrder, HEADER_KEYS } from './vocabulary.ts';

/** Takes and returns text without a line break at its end. */
export function formatHeader(text: string): string {
  // Without values there is nothing to order, and YAML would print `null`.
  if (parseYaml(`${text}\n`).document?.contents === null) return text.trimEnd();
  for (const reorder of [true, false]) {
    const settled = settle(`${text}\n`, (current) => print(current, reorder));
    if (settled !== undefined && readsTheSame(`${text}\n`, settled)) return settled.trimEnd();
  }
  return text;
}

function print(text: string, reorder: boolean): string | undefined {
  const { document } = parseYaml(text);
  if (!document) return undefined;
  if (reorder) orderKeys(document);
  try {
    const printed = printVerbatim(document, text).trimEnd();
    // A fence at the margin, or a line that opens a cell, would end the header.
    return /^(```|\s*```+cell(\s|$))/m.test(printed) ? undefined : `${printed}\n`;
  } catch {
    // The library throws if an alias comes before its anchor.
    return undefined;
  }
}

function orderKeys({ contents }: Document.Parsed): void {
  if (!isMap(contents)) return;
  contents.items = canonicalOrder(contents.items, HEADER_KEYS, keyOf);
  const first = contents.items[0]?.key;
  if (isScalar(first)) first.spaceBefore = false;
}
