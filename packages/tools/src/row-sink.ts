/**
 * Collects the rows of a result: a moderate number stays a value, more go to the blob store as one JSON list.
 *
 * Invariant: memory holds at most about `INLINE_MAX_BYTES` of rows, and at most `maxBytes` are accepted.
 */
import { PassThrough } from 'node:stream';
import { encodeJson, type Json, type JsonObject, type Reference } from '@woof/net';
import type { Blobs } from './tool.ts';

/** Larger results would be copied several times until they reach an event. */
export const INLINE_MAX_BYTES = 16 * 1024 * 1024;

export class ResultTooLarge extends Error {}

export class RowSink {
  count = 0;
  private rows: JsonObject[] = [];
  private bytes = 0;
  private spill: { stream: PassThrough; stored: Promise<Reference> } | undefined;

  constructor(
    private readonly blobs: Blobs,
    private readonly maxBytes: number,
    private readonly inlineMaxBytes = INLINE_MAX_BYTES,
  ) {}

  /** Resolves when it is ready for more rows. */
  async take(rows: JsonObject[]): Promise<void> {
    if (rows.length === 0) return;
    const text = rows.map((row) => encodeJson(row)).join(',\n');
    this.bytes += Buffer.byteLength(text) + 2;
    this.count += rows.length;
    if (this.bytes > this.maxBytes) {
      throw new ResultTooLarge(
        `the result is larger than ${this.maxBytes} bytes; raise "max_bytes", or request less`,
      );
    }
    if (this.spill) await this.write(`,\n${text}`);
    else if (this.bytes > this.inlineMaxBytes) await this.startSpill(text);
    else for (const row of rows) this.rows.push(row);
  }

  /** The rows, or the reference to them. */
  async finish(columns: string[]): Promise<Json> {
    if (!this.spill) return this.rows;
    this.spill.stream.end(']');
    const reference = await this.spill.stored;
    const hint = { type: 'list', length: this.count, columns, content_type: 'application/json' };
    return { ...reference, schema_hint: hint };
  }

  /** Call this if `finish` is not called. */
  discard(): void {
    this.spill?.stream.destroy(new Error('given up'));
  }

  private async startSpill(text: string): Promise<void> {
    const stream = new PassThrough();
    const hint = { type: 'list', content_type: 'application/json' };
    const stored = this.blobs.put(stream, { hint, maxBytes: this.maxBytes + 2 });
    // Anyone who awaits it sees the error, but perhaps nobody does yet.
    stored.catch((error: unknown) => stream.destroy(error as Error));
    this.spill = { stream, stored };
    const first = this.rows.map((row) => encodeJson(row));
    this.rows = [];
    await this.write(`[${[...first, text].join(',\n')}`);
  }

  private async write(text: string): Promise<void> {
    const { stream, stored } = this.spill!;
    if (stream.destroyed) await stored;
    if (stream.write(text)) return;
    await Promise.race([new Promise((resolve) => stream.once('drain', resolve)), stored]);
  }
}
