/**
 * Reports the first place of a text whose bytes are not UTF-8: the decoder put U+FFFD there. Undefined if there is none.
 * A file may also contain that character itself.
 */
import type { Diagnostic } from '@woof/net';
import { documentProblems } from './diagnostics.ts';
import { Source } from './yaml/source.ts';

const REPLACED = '\u{fffd}';
const ITSELF = [0xef, 0xbf, 0xbd];

export function undecoded(text: string, bytes: Uint8Array): Diagnostic | undefined {
  const encoder = new TextEncoder();
  let [from, offset] = [0, 0];
  for (let at = text.indexOf(REPLACED); at !== -1; at = text.indexOf(REPLACED, from)) {
    offset += encoder.encode(text.slice(from, at)).length;
    if (!ITSELF.every((byte, index) => bytes[offset + index] === byte)) {
      return documentProblems.notUtf8(new Source(text).span(at, at + 1), bytes[offset] ?? 0);
    }
    [from, offset] = [at + 1, offset + ITSELF.length];
  }
  return undefined;
}
