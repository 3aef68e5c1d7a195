/**
 * Owns: NaN, Infinity and -Infinity in JSON text. They are not JSON, but Python's `json` and others write them. In
 * data, they become null.
 */
import { endOfString } from './json-numbers.ts';

export interface NotFiniteWord {
  word: string;
  start: number;
  end: number;
}

/** Those outside strings. If the text is otherwise valid JSON, they are in places of values. */
export function notFiniteWords(text: string): NotFiniteWord[] {
  const found: NotFiniteWord[] = [];
  const tokens = /"|-?Infinity|NaN/g;
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const [word] = match;
    if (word === '"') {
      const end = endOfString(text, match.index);
      if (end < 0) break;
      tokens.lastIndex = end + 1;
    } else found.push({ word, start: match.index, end: tokens.lastIndex });
  }
  return found;
}

/** The text with null in their place; JS undefined if there are none. */
export function withNulls(text: string): string | undefined {
  const words = notFiniteWords(text);
  if (words.length === 0) return undefined;
  const between = [0, ...words.map(({ end }) => end)].map((from, index) =>
    text.slice(from, words[index]?.start),
  );
  return between.join('null');
}
