/**
 * The items of a JSON list that arrives in pieces. Items that end in one piece are returned together.
 *
 * Invariant: memory holds one piece, and of the list at most `mostBytes`, the maximum size of one item.
 */
import { decodeJson, type Json } from '@woof/net';

export class NoJsonList extends Error {}

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);
const MOST_BYTES = 256 * 1024 * 1024;

export async function* jsonItems(
  source: AsyncIterable<Uint8Array>,
  mostBytes = MOST_BYTES,
): AsyncGenerator<Json[]> {
  const commas = new Commas();
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const piece of source) {
    const last = commas.lastIn(piece);
    if (last >= 0) {
      yield parsed([...parts, piece.subarray(0, last), Buffer.from(']')]);
      [parts, size] = [[Buffer.from('[')], 0];
    }
    parts.push(piece.subarray(last + 1));
    size += piece.length - last - 1;
    if (size > mostBytes) throw new NoJsonList(`an item is larger than ${mostBytes} bytes`);
  }
  yield parsed(parts);
}

function parsed(parts: Uint8Array[]): Json[] {
  let value: Json;
  try {
    value = decodeJson(new TextDecoder().decode(Buffer.concat(parts)));
  } catch {
    throw new NoJsonList('the JSON list is not complete');
  }
  if (Array.isArray(value)) return value;
  throw new NoJsonList('it is not a JSON list');
}

/** Finds the commas between items, however the list is split. */
class Commas {
  private depth = 0;
  private isText = false;
  private isEscaped = false;

  /** The position of the last comma in a piece, or -1. */
  lastIn(piece: Uint8Array): number {
    let last = -1;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]!;
      if (this.isEscaped) this.isEscaped = false;
      else if (byte === QUOTE) this.isText = !this.isText;
      else if (this.isText) this.isEscaped = byte === BACKSLASH;
      else if (byte === COMMA && this.depth === 1) last = at;
      else if (OPENING.has(byte)) this.depth += 1;
      else if (CLOSING.has(byte)) this.depth -= 1;
    }
    return last;
  }
}
