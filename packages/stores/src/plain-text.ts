/**
 * Texts in a form that databases can store. NUL and lone surrogates are valid in JSON and JavaScript, but SQLite
 * truncates or changes them and Postgres refuses them. Each is written as U+001A and the four hex digits of the code
 * unit, and so is U+001A itself. All other texts are unchanged. A text inside JSON gets the same form, so that a
 * database finds it by its plain form.
 */
import { decodeJson, encodeJson } from '@woof/net';

const MARK = '\x1a';
const ODD = new RegExp(`[\\0${MARK}]|\\p{Surrogate}`, 'gu');
const ODD_ESCAPE = /\\(?:\\|u(0000|001a|d[89a-f][0-9a-f]{2}))/g;
const PLAIN = new RegExp(`${MARK}([0-9a-f]{4})`, 'g');
const PLAIN_ESCAPE = /\\(?:\\|u001a([0-9a-f]{4}))/g;

export function toPlain(text: string): string {
  return text.replace(ODD, (unit) => `${MARK}${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function fromPlain(text: string): string {
  return text.includes(MARK)
    ? text.replace(PLAIN, (_, unit) => String.fromCharCode(Number.parseInt(unit, 16)))
    : text;
}

/** `JSON.stringify` escapes these characters, so they can be found in its text; a doubled backslash escapes nothing. */
export function toPlainJson(value: unknown): string {
  const text = encodeJson(value);
  if (!text.includes('\\u')) return text;
  return text.replace(ODD_ESCAPE, (found, unit?: string) => (unit === undefined ? found : `\\u001a${unit}`));
}

export function fromPlainJson<T>(text: string): T {
  if (!text.includes('\\u001a')) return decodeJson(text) as T;
  const odd = text.replace(PLAIN_ESCAPE, (found, unit?: string) =>
    unit === undefined ? found : `\\u${unit}`,
  );
  return decodeJson(odd) as T;
}
