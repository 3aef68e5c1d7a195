/** Text that comes from a document and goes to a terminal: nothing in it may steer the terminal or break a column. */

/** Control characters and line breaks become visible stand-ins. */
export function harmless(text: string): string {
  let out = '';
  for (const char of text) out += isControl(char.codePointAt(0)!) ? '\uFFFD' : char;
  return out;
}

function isControl(code: number): boolean {
  const isC0 = code < 0x20 || code === 0x7f;
  const isC1 = code >= 0x80 && code < 0xa0;
  const isSeparator = code === 0x2028 || code === 0x2029;
  const isDirection = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return isC0 || isC1 || isSeparator || isDirection;
}

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
/** Emoji in their own colours take two columns, but a flag is two letters of one column each. */
const WIDE =
  /^(?![\u{1F1E6}-\u{1F1FF}])[\u1100-\u115F\u2E80-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\p{Emoji_Presentation}\u{1F300}-\u{1F64F}\u{1F900}-\u{1F9FF}\u{20000}-\u{3FFFD}]$/u;

export function widthOf(text: string): number {
  let width = 0;
  for (const char of text) width += widthOfChar(char);
  return width;
}

export function widthOfChar(char: string): number {
  if (ZERO_WIDTH.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
}

export function shorten(text: string, limit: number): string {
  if (widthOf(text) <= limit) return text;
  let out = '';
  let width = 0;
  for (const char of text) {
    width += widthOfChar(char);
    if (width > limit - 1) break;
    out += char;
  }
  return `${out}…`;
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };
export type Style = keyof typeof CODES;

export function paint(text: string, style: Style, color: boolean): string {
  return color && text !== '' ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
}
