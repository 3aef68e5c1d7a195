/**
 * Finds the marks that a driver writes into stdout and stderr to show the host a common point in all streams.
 *
 * A mark is RS, the request's token, eight hexadecimal digits, RS: always 42 bytes, written in one piece. Programs that
 * a cell starts do not know the token. A mark may arrive in parts, so a tail that could begin one is held back.
 */
const MARK_BYTES = 42;

export type Piece = Buffer | number;

export class MarkSplitter {
  #start: Buffer | undefined;
  #held: Buffer = Buffer.alloc(0);

  expect(token: string): void {
    this.#start = Buffer.from(`\x1e${token}`, 'latin1');
  }

  split(chunk: Buffer): Piece[] {
    const start = this.#start;
    if (!start) return [chunk];
    const pieces: Piece[] = [];
    let rest = this.#held.length > 0 ? Buffer.concat([this.#held, chunk]) : chunk;
    for (let at = rest.indexOf(start); at >= 0 && rest.length >= at + MARK_BYTES; at = rest.indexOf(start)) {
      if (at > 0) pieces.push(rest.subarray(0, at));
      pieces.push(Number.parseInt(rest.toString('latin1', at + start.length, at + MARK_BYTES - 1), 16));
      rest = rest.subarray(at + MARK_BYTES);
    }
    const safe = rest.length - openTail(rest, start);
    if (safe > 0) pieces.push(rest.subarray(0, safe));
    this.#held = safe < rest.length ? Buffer.from(rest.subarray(safe)) : Buffer.alloc(0);
    return pieces;
  }

  /** Returns what was held back, at the end of the stream. */
  end(): Buffer {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return held;
  }
}

/** How many of the last bytes may belong to an incomplete mark. */
function openTail(bytes: Buffer, start: Buffer): number {
  const from = Math.max(0, bytes.length - MARK_BYTES + 1);
  for (let at = bytes.indexOf(0x1e, from); at >= 0; at = bytes.indexOf(0x1e, at + 1)) {
    const tail = bytes.subarray(at, at + start.length);
    if (tail.equals(start.subarray(0, tail.length))) return bytes.length - at;
  }
  return 0;
}
