/**
 * The YAML of a header in canonical form: known keys in order, the others behind them as written; comments, quotes and
 * blocks kept.
 *
 * Invariant: what is returned reads as the same values with the same comments, and formatting it again changes nothing.
 * Where ordering would break that (an alias before its anchor), the order stays; where nothing keeps it, the text does.
 */
import { type Document, isMap, isScalar, Lexer, type Pair } from 'yaml';
import { parseYaml } from '../yaml/parse.ts';
import { toJson } from '../yaml/tree.ts';
import { printVerbatim } from '../yaml/verbatim.ts';
import { canonicalOrder, HEADER_KEYS } from './vocabulary.ts';

/** The library's lexer says this before the text of a scalar, which may look like a comment in a block. */
const SCALAR_MARK = '\u001F';
const MAX_ROUNDS = 4;

/** Takes and gives text without line break at its end. */
export function formatHeader(text: string): string {
  for (const reorder of [true, false]) {
    const settled = settle(`${text}\n`, reorder);
    if (settled !== undefined && isSame(text, settled)) return settled.trimEnd();
  }
  return text;
}

/** Prints until nothing changes: the library may settle a comment only on the second print. */
function settle(text: string, reorder: boolean): string | undefined {
  let current = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const printed = print(current, reorder);
    if (printed === undefined || printed === current) return printed;
    current = printed;
  }
  return undefined;
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
    // The library throws where an alias comes before its anchor.
    return undefined;
  }
}

function orderKeys({ contents }: Document.Parsed): void {
  if (!isMap(contents)) return;
  contents.items = canonicalOrder(contents.items, HEADER_KEYS, keyOf);
  const first = contents.items[0]?.key;
  if (isScalar(first)) first.spaceBefore = false;
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : '';
}

function isSame(before: string, after: string): boolean {
  const [old, made] = [parseYaml(`${before}\n`).root, parseYaml(after).root];
  if (!old || !made) return false;
  return sorted(toJson(old)) === sorted(toJson(made)) && commentsOf(before) === commentsOf(after);
}

/** Only the keys of the root move. */
function sorted(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function commentsOf(text: string): string {
  const found: string[] = [];
  let isScalarNext = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('#') && !isScalarNext) found.push(lexeme.trim());
    isScalarNext = lexeme === SCALAR_MARK;
  }
  return JSON.stringify(found.sort());
}
