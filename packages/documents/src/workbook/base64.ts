/** Base64 without `Buffer`, which browsers do not have. Decoding is strict: invalid base64 returns undefined. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = valuesOf(ALPHABET);
/** How many characters are joined at once: a string built one character at a time is a chain of millions. */
const PIECE = 3 * 8192;

export function encodeBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += PIECE) {
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE))));
  }
  return pieces.join('');
}

export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const length = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let bits = 0;
  let held = 0;
  let out = 0;
  for (let at = 0; at < length; at++) {
    const value = VALUES[text.charCodeAt(at)] ?? -1;
    if (value < 0) return undefined;
    bits = ((bits << 6) | value) & 0xffffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[out++] = (bits >> held) & 0xff;
    }
  }
  // Unused bits must be zero, so that each content has exactly one encoding.
  return (bits & ((1 << held) - 1)) === 0 ? bytes : undefined;
}

/** How many bytes a well-formed text stands for, without decoding it. */
export function base64Size(text: string): number {
  return Math.floor((text.replace(/=+$/, '').length * 3) / 4);
}

function valuesOf(alphabet: string): Int8Array {
  const values = new Int8Array(128).fill(-1);
  for (const [value, char] of [...alphabet].entries()) values[char.charCodeAt(0)] = value;
  return values;
}
