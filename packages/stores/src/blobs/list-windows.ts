/**
 * Where the items of a list are in its JSON text: a long list is read one window at a time, never as a whole.
 *
 * A window is the text of some whole items and the commas between them. The text is first read once from end to end and
 * each window decoded, so that invalid JSON is noticed before anybody relies on it.
 */
import { createHash } from 'node:crypto';
import { decodeJson, type Json } from '@woof/net';

export interface Window {
  /** Offset in bytes. */
  from: number;
  size: number;
  /** The index of its first item. */
  first: number;
  count: number;
  /** The hash of its bytes: the store may lose or change them later. */
  sha256: string;
}

const BLOCK_BYTES = 256 * 1024;

const [SPACE, QUOTE, COMMA, BACKSLASH] = [0x20, 0x22, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns some of the bytes, starting at an offset. */
export type ReadBytes = (from: number, size: number) => Buffer;

/**
 * `undefined`: the text is not a list. Throws a SyntaxError if it is not JSON. `block` is the approximate size of a
 * window.
 */
export function windowsOf(size: number, read: ReadBytes, block = BLOCK_BYTES): Window[] | undefined {
  const scan = new Scan();
  const windows: Window[] = [];
  let begun: Buffer[] = [];
  let start = 0;
  for (let from = 0; from < size; from += block) {
    const bytes = read(from, Math.min(block, size - from));
    if (scan.isDone) refuseMore(bytes);
    const cut = scan.isDone ? undefined : scan.next(bytes);
    if (scan.isOther) return undefined;
    if (cut !== undefined) {
      addWindow(windows, start, Buffer.concat([...begun, bytes.subarray(0, cut)]), scan.isDone);
      begun = [];
      start = from + cut + 1;
      if (scan.isDone) refuseMore(bytes.subarray(cut + 1));
    }
    begun.push(bytes.subarray(Math.max(0, start - from)));
  }
  if (!scan.isDone) throw new SyntaxError('the list is not closed');
  return windows;
}

export function decodeWindow(text: Buffer): Json[] {
  return decodeJson<Json[]>(`[${text.toString('utf8')}]`);
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function addWindow(windows: Window[], from: number, bytes: Buffer, isLast: boolean): void {
  const last = windows.at(-1);
  const skipped = last ? 0 : bytes.indexOf(OPEN_LIST!) + 1;
  const text = bytes.subarray(skipped);
  const { length: count } = decodeWindow(text);
  if (count === 0 && (last || !isLast)) throw new SyntaxError('an item is missing before or after a comma');
  const first = last ? last.first + last.count : 0;
  windows.push({ from: from + skipped, size: text.length, first, count, sha256: sha256(text) });
}

function refuseMore(rest: Buffer): void {
  if (rest.some((byte) => byte > SPACE!)) throw new SyntaxError('there is more text after the list');
}

/** Knows for each byte whether it is between the items of the list. */
class Scan {
  /** The text begins with something other than a list. */
  isOther = false;
  isDone = false;
  private depth = 0;
  private inString = false;
  private isEscaped = false;

  /** The offset of the last comma between items, or of the end of the list. */
  next(bytes: Buffer): number | undefined {
    let cut: number | undefined;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (this.inString) this.inText(byte);
      else if (byte === COMMA && this.depth === 1) cut = at;
      else if (byte > SPACE!) {
        this.structure(byte);
        if (this.isOther) return undefined;
        if (this.isDone) return at;
      }
    }
    return cut;
  }

  private inText(byte: number): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (byte === BACKSLASH) this.isEscaped = true;
    else if (byte === QUOTE) this.inString = false;
  }

  private structure(byte: number): void {
    if (this.depth === 0 && byte !== OPEN_LIST) this.isOther = true;
    else if (byte === QUOTE) this.inString = true;
    else if (byte === OPEN_LIST || byte === OPEN_MAP) this.depth += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_MAP) this.depth -= 1;
    this.isDone = this.depth === 0 && !this.isOther;
    if (this.isDone && byte !== CLOSE_LIST) throw new SyntaxError('the list ends with "}"');
  }
}
