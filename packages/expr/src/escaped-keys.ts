/**
 * Owns: keys with an escape in JSON text, where `JSON.parse` of V8 12.8 and later cannot be trusted. Having read
 * `{"a": 0, "\\": 0}`, it reads the second key of `{"a": 0, "\n": 0}` as a backslash too: it compares the key that it
 * expects with the text of the escape (https://github.com/nodejs/node/issues/63785).
 */

/** The last escape of a key, up to the colon. Some strings of other places match too. */
const ESCAPED_KEY = /\\.[^"\\]*"\s*:/s;

/** The first key is one of its own, so that nothing else is read differently after this. */
const isMisread = (() => {
  JSON.parse('{"are escaped keys misread?":0,"\\\\":0}');
  return !('\n' in (JSON.parse('{"are escaped keys misread?":0,"\\n":0}') as object));
})();

/** Whether `JSON.parse` may have returned a key that the text does not have. */
export const mayMisreadKey = (text: string): boolean =>
  isMisread && text.includes('\\') && ESCAPED_KEY.test(text);
