/**
 * A file of lines in blocks of whole lines, from either end. Anything after the last newline is half written and is not
 * read yet.
 */
import type { FileHandle } from 'node:fs/promises';

export interface LogBlock {
  /** Its position in the file. */
  at: number;
  /** Whole lines. */
  bytes: Buffer;
}

/** A block is searched synchronously, so it is small enough that others hardly wait. */
const BLOCK = 256 * 1024;
const NEWLINE = 10;

/**
 * The bytes of a block are valid until the next one: all blocks share one buffer, so that the system allocates its
 * pages once.
 */
export async function* blocksFrom(file: FileHandle, start: number): AsyncGenerator<LogBlock> {
  let buffer = Buffer.allocUnsafeSlow(2 * BLOCK);
  for (let at = start, held = 0; ; ) {
    if (held + BLOCK > buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
    const { bytesRead } = await file.read(buffer, held, BLOCK, at + held);
    if (bytesRead === 0) return;
    const filled = buffer.subarray(0, held + bytesRead);
    const end = filled.lastIndexOf(NEWLINE) + 1;
    if (end > 0) yield { at, bytes: filled.subarray(0, end) };
    buffer.copyWithin(0, end, filled.length);
    at += end;
    held = filled.length - end;
  }
}

/** The last block first. `end` must be the end of a line. */
export async function* blocksBefore(file: FileHandle, end: number): AsyncGenerator<LogBlock> {
  let buffer = Buffer.allocUnsafeSlow(2 * BLOCK);
  for (let position = end, held = 0; position > 0; ) {
    if (held + BLOCK > buffer.length) buffer = Buffer.concat([Buffer.allocUnsafe(buffer.length), buffer]);
    const length = Math.min(BLOCK, position);
    position -= length;
    const filled = buffer.subarray(buffer.length - held - length);
    const { bytesRead } = await file.read(filled, 0, length, position);
    if (bytesRead < length) return;
    // Anything before the first newline belongs to a line that begins in the previous block.
    const first = position === 0 ? 0 : filled.indexOf(NEWLINE) + 1 || filled.length;
    if (first < filled.length) yield { at: position + first, bytes: filled.subarray(first) };
    const start = buffer.length - filled.length;
    buffer.copyWithin(buffer.length - first, start, start + first);
    held = first;
  }
}

/** The position after the last newline before `end`. */
export async function endOfLines(file: FileHandle, end: number): Promise<number> {
  for (let position = end; position > 0; ) {
    const length = Math.min(BLOCK, position);
    position -= length;
    const newline = (await readAt(file, position, length)).lastIndexOf(NEWLINE);
    if (newline >= 0) return position + newline + 1;
  }
  return 0;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
