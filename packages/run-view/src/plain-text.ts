/** Characters that would control a page, hide in it or reverse its text are shown as escapes. */
const STEERING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\0-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export const plainText = (text: string): string =>
  text.replace(STEERING, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The same for a text that keeps its lines. */
export const plainLines = (text: string): string => text.split(/\r?\n/).map(plainText).join('\n');
