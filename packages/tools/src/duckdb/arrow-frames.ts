/** Turns the column data from DuckDB's process into an Arrow IPC stream. Memory holds one batch. */
import {
  type ArrowField,
  type BatchHeader,
  batchMessage,
  END_OF_STREAM,
  padded,
  schemaMessage,
} from '@woof/arrow';

/** The process ended before all frames arrived; its exit tells why. */
export class CutShort extends Error {}

const LONGEST_HEADER = 256 * 1024 * 1024;

/**
 * `frames`: a length, a header as JSON, a body, and so on. `whole` resolves if the frames are complete, so that a
 * truncated stream never looks like one that ended.
 */
export async function* arrowStream(
  fields: ArrowField[],
  frames: AsyncIterable<Uint8Array>,
  whole: Promise<void>,
): AsyncGenerator<Uint8Array> {
  yield schemaMessage(fields);
  const reader = new PieceReader(frames);
  for (;;) {
    const length = await reader.take(4);
    if (length === undefined) break;
    const header = JSON.parse(
      (await reader.exactly(length.readUInt32LE(0), LONGEST_HEADER)).toString('utf8'),
    ) as BatchHeader;
    const message = batchMessage(header);
    const body = header.buffers.reduce((sum, each) => sum + padded(each), 0);
    yield message;
    yield await reader.exactly(body, Number.POSITIVE_INFINITY);
  }
  await whole;
  yield END_OF_STREAM;
}

/** Regroups pieces of any size into the requested lengths. */
class PieceReader {
  private readonly source: AsyncIterator<Uint8Array>;
  private held: Buffer[] = [];
  private size = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** Undefined: the stream has ended. */
  async take(length: number): Promise<Buffer | undefined> {
    while (this.size < length) {
      const { done, value } = await this.source.next();
      if (done) return undefined;
      this.held.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      this.size += value.length;
    }
    const all = this.held.length === 1 ? this.held[0]! : Buffer.concat(this.held);
    this.held = [all.subarray(length)];
    this.size -= length;
    return all.subarray(0, length);
  }

  async exactly(length: number, most: number): Promise<Buffer> {
    const piece = length > most ? undefined : await this.take(length);
    if (piece === undefined) throw new CutShort('the rows from DuckDB are incomplete');
    return piece;
  }
}
