/** Text for a terminal: nothing in it may control the terminal or break a column. Loads almost nothing. */
import { eastAsianWidth } from 'get-east-asian-width';

/** Control and direction characters become visible stand-ins; line breaks and tabs stay if `keep` says so. */
export function harmless(text: string, keep: 'lines' | 'none' = 'none'): string {
  return text.replace(keep === 'lines' ? STEERING_BUT_LINES : STEERING, '\uFFFD');
}

const STEERING = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;
const STEERING_BUT_LINES = /(?![\n\t])[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

const PRINTABLE_ASCII = /^[ -~]*$/;
/** Not U+FE0F: it makes some characters wide. A flag is two letters of one column each. */
const ZERO = /^(?!\uFE0F)[\p{Mn}\p{Me}\p{Cf}]$/u;
const FLAG_LETTER = /^[\u{1F1E6}-\u{1F1FF}]$/u;

/**
 * How many columns a character takes. If terminals differ (emoji of several parts), the larger number is used: a line
 * that is cut too early is readable, but one that wraps breaks everything that is redrawn below it.
 */
export function widthOfChar(char: string): number {
  if (PRINTABLE_ASCII.test(char) || FLAG_LETTER.test(char)) return 1;
  return ZERO.test(char) ? 0 : eastAsianWidth(char.codePointAt(0)!);
}

export function widthOf(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += widthOfChar(char);
  return width;
}

/** Cuts the text to this many columns. */
export function shorten(text: string, limit: number): string {
  let width = 0;
  let end = 0;
  for (const char of text) {
    width += widthOfChar(char);
    if (width > limit) return `${text.slice(0, end)}…`;
    if (width < limit) end += char.length;
  }
  return text;
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };
export type Style = keyof typeof CODES;

export function paint(text: string, style: Style, color: boolean): string {
  return color && text !== '' ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
}
