/** Owns: what Python calls a letter, a digit, upper case and so on. */

const all =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);

export const isAlpha = all(/^\p{L}+$/u);
export const isDecimal = all(/^\p{Nd}+$/u);
export const isDigit = all(/^[\p{Nd}\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]+$/u);
export const isNumeric = all(/^\p{N}+$/u);
export const isAlnum = all(/^[\p{L}\p{N}]+$/u);
export const isSpace = all(/^\s+$/u);
export const isAscii = (text: string): boolean =>
  [...text].every((character) => character.charCodeAt(0) < 128);
export const isPrintable = all(
  /^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]*$/u,
);
export const isIdentifier = all(/^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*$/u);

/** Cased letters, all of them in that case, and at least one. */
export const isUpper = (text: string): boolean => /[\p{Lu}]/u.test(text) && !/[\p{Ll}\p{Lt}]/u.test(text);
export const isLower = (text: string): boolean => /[\p{Ll}]/u.test(text) && !/[\p{Lu}\p{Lt}]/u.test(text);

/** Upper case only where a word starts, lower case only within one. */
export function isTitle(text: string): boolean {
  let inWord = false;
  let seen = false;
  for (const character of text) {
    const upper = /[\p{Lu}\p{Lt}]/u.test(character);
    const lower = /\p{Ll}/u.test(character);
    if ((upper && inWord) || (lower && !inWord)) return false;
    inWord = upper || lower;
    seen ||= inWord;
  }
  return seen;
}
