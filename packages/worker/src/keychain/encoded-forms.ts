/** The forms in which the text of a secret may come back: unchanged, and as tools and services encode it. */

/** A shorter value occurs in too much text that is not secret. For a longer one, every form is hidden. */
export const SHORTEST_HIDDEN = 6;

export function encodedForms(value: string): Set<string> {
  if (value.length < SHORTEST_HIDDEN) return new Set();
  const bytes = Buffer.from(value, 'utf8');
  const forms = [
    value,
    ...jsonForms(value),
    ...urlForms(value),
    ...base64Forms(bytes),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...linesOf(value),
  ];
  return new Set(forms.filter((form) => form.length >= SHORTEST_HIDDEN));
}

/** With non-ASCII letters unchanged, and with all of them escaped, as Python does. */
function jsonForms(value: string): string[] {
  const text = JSON.stringify(value).slice(1, -1);
  const ascii = text.replaceAll(
    /[\u0080-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  // JSON text inside JSON text.
  return [text, ascii, text.replaceAll('/', '\\/'), JSON.stringify(text).slice(1, -1)];
}

/** Libraries differ in which characters they leave alone, and in the case of the hex digits. */
function urlForms(value: string): string[] {
  // A URL cannot contain half of a surrogate pair.
  if (/\p{Surrogate}/u.test(value)) return [];
  const component = encodeURIComponent(value);
  const strict = component.replaceAll(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const all = [component, strict, strict.replaceAll('%2F', '/'), encodeURI(value)];
  const forms = all.flatMap((form) => [form, form.replaceAll('%20', '+')]);
  return forms.flatMap((form) => [form, form.replaceAll(/%[\dA-F]{2}/g, (digits) => digits.toLowerCase())]);
}

/**
 * Three bytes become four letters, so a text may begin at three offsets. For each offset, keeps the letters that do not
 * depend on the neighbouring bytes: they occur in the encoding of any text that contains the value, such as
 * `user:password`.
 */
function base64Forms(bytes: Buffer): string[] {
  const whole = [bytes.toString('base64'), bytes.toString('base64url')];
  const inner = [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const first = Math.ceil((before * 8) / 6);
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const sure = encoded.slice(first, end);
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [...whole, ...inner];
}

/** A program that prints a key of several lines may print them one by one. */
function linesOf(value: string): string[] {
  const lines = value.split(/\r?\n/);
  if (lines.length < 2) return [];
  return lines
    .map((line) => line.trim())
    .filter((line) => line.length >= 2 * SHORTEST_HIDDEN && !/^-----/.test(line));
}
