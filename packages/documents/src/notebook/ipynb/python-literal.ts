/**
 * JSON as Python writes it: the same text except for three words, so that a reader sees the value as it was written.
 */
import { decodeJson, encodeJson, type Json } from '@woof/net';

const WORDS = new Map([
  ['true', 'True'],
  ['false', 'False'],
  ['null', 'None'],
]);
const BACK = new Map([...WORDS].map(([json, python]) => [python, json]));
const STRING_OR_WORD = /"(?:[^"\\]|\\.)*"|[A-Za-z]+/gs;

/** Escapes that mean something else in Python: `\/`, and surrogate halves. */
const OTHER_ESCAPE = /\\(?:\/|u[dD][89a-fA-F])/;

/** The text itself if it is JSON that Python reads the same way. */
export function pythonLiteral(text: string, value: Json): string {
  const isAlike = text.trimStart() === text && !OTHER_ESCAPE.test(text) && isJson(text);
  return swapped(isAlike ? text : encodeJson(value, 2), WORDS);
}

/** On one line. */
export function pythonValue(value: Json): string {
  return swapped(encodeJson(value), WORDS);
}

/** The JSON of a literal; undefined if it is anything else. */
export function jsonOfLiteral(text: string): string | undefined {
  const json = swapped(text, BACK);
  return isJson(json) ? json : undefined;
}

function swapped(text: string, words: ReadonlyMap<string, string>): string {
  return text.replace(STRING_OR_WORD, (piece) => words.get(piece) ?? piece);
}

function isJson(text: string): boolean {
  try {
    decodeJson(text);
    return true;
  } catch {
    return false;
  }
}
