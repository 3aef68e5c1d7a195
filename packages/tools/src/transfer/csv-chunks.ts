/**
 * Cuts a stream of CSV into chunks of whole rows.
 *
 * Invariant: memory holds one chunk, which has at most `maxRows` rows and at most `maxBytes` bytes, unless one row is
 * longer.
 */

export interface Chunk {
  bytes: Buffer;
  rows: number;
}

const QUOTE = 0x22;
const NEWLINE = 0x0a;
const MAX_BYTES = 8 * 1024 * 1024;

export async function* csvChunks(
  source: AsyncIterable<Uint8Array>,
  options: { maxRows: number; skipRows?: number; maxBytes?: number },
): AsyncGenerator<Chunk> {
  const { maxRows, skipRows = 0, maxBytes = MAX_BYTES } = options;
  let parts: Uint8Array[] = [];
  let [bytes, rows, skipped] = [0, 0, 0];
  let quoted = false;
  for await (const piece of source) {
    let start = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at];
      if (byte === QUOTE) quoted = !quoted;
      if (byte !== NEWLINE || quoted) continue;
      if (skipped < skipRows) {
        skipped += 1;
        start = at + 1;
        parts = [];
        bytes = 0;
        continue;
      }
      rows += 1;
      const size = bytes + at + 1 - start;
      if (rows < maxRows && size < maxBytes) continue;
      parts.push(piece.subarray(start, at + 1));
      yield { bytes: Buffer.concat(parts), rows };
      [parts, bytes, rows, start] = [[], 0, 0, at + 1];
    }
    if (start === piece.length) continue;
    parts.push(piece.subarray(start));
    bytes += piece.length - start;
  }
  if (bytes > 0) yield { bytes: Buffer.concat(parts), rows };
}
