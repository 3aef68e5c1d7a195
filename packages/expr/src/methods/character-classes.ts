/** Owns: what Python considers a letter, a digit, upper case and so on. */

// The patterns are inside functions: compiling Unicode classes takes long, and few templates need them.
export const isAlpha = (text: string): boolean => /^\p{L}+$/u.test(text);
export const isDecimal = (text: string): boolean => /^\p{Nd}+$/u.test(text);
export const isDigit = (text: string): boolean =>
  /^[\p{Nd}\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089]+$/u.test(text);
export const isNumeric = (text: string): boolean => /^\p{N}+$/u.test(text);
export const isAlnum = (text: string): boolean => /^[\p{L}\p{N}]+$/u.test(text);
export const isSpace = (text: string): boolean => /^\s+$/u.test(text);
export const isAscii = (text: string): boolean => !/[\u0080-\uffff]/.test(text);
export const isPrintable = (text: string): boolean =>
  /^[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]*$/u.test(text);
export const isIdentifier = (text: string): boolean =>
  /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*$/u.test(text);

/** At least one cased letter, and all of them in that case. */
export const isUpper = (text: string): boolean => /[\p{Lu}]/u.test(text) && !/[\p{Ll}\p{Lt}]/u.test(text);
export const isLower = (text: string): boolean => /[\p{Ll}]/u.test(text) && !/[\p{Lu}\p{Lt}]/u.test(text);

/** Upper case only at the start of a word, lower case only within one. */
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
