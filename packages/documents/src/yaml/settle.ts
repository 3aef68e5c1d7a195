/**
 * What every YAML formatter must guarantee: the text that it prints reads as the same values with the same comments,
 * and printing it again changes nothing.
 */
import { isScalar, Lexer, type Pair } from 'yaml';
import { parseYaml } from './parse.ts';
import { parseSimple } from './parse-simple.ts';
import { sortedText } from './sorted-text.ts';
import { toJson } from './tree.ts';

/** The library's lexer emits this before the text of a scalar, which may look like a comment in a block. */
const SCALAR_MARK = '\u001F';
const MAX_ROUNDS = 4;

/** Prints until nothing changes: the library may settle a comment only on the second print. */
export function settle(text: string, print: (text: string) => string | undefined): string | undefined {
  let current = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const printed = print(current);
    if (printed === undefined || printed === current) return printed;
    current = printed;
  }
  return undefined;
}

/** The same values, with keys in any order, and the same comments, which move with their keys. */
export function readsTheSame(before: string, after: string): boolean {
  if (before === after) return true;
  const [old, made] = [before, after].map((text) => parseSimple(text) ?? parseYaml(text).root);
  if (!old || !made) return false;
  return sortedText(toJson(old)) === sortedText(toJson(made)) && commentsOf(before) === commentsOf(after);
}

export function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : '';
}

/** In any order. */
export function commentsOf(text: string): string {
  const found: string[] = [];
  let isScalarNext = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('#') && !isScalarNext) found.push(lexeme.trim());
    isScalarNext = lexeme === SCALAR_MARK;
  }
  return JSON.stringify(found.sort());
}
