/**
 * Collects the rows of a query: a moderate number stays a value, more go to the blob store as an Arrow IPC stream.
 *
 * Invariant: memory holds about `INLINE_MAX_BYTES` of rows, or one batch. At most `maxBytes` are accepted.
 */
import { ARROW_STREAM, type ArrowField, castSql } from '@woof/arrow';
import { decodeJson, define, encodeJson, type Json, type JsonObject, type Reference } from '@woof/net';
import { ResultTooLarge } from '../row-sink.ts';
import type { Blobs } from '../tool.ts';
import { arrowStream, CutShort } from './arrow-frames.ts';
import type { DuckdbAnswer, DuckdbProcess } from './duckdb-process.ts';

export class DuckdbRows {
  private columns: string[] = [];
  private rows: JsonObject[] = [];
  private bytes = 0;
  private table: { fields: ArrowField[]; stored: Promise<Reference> } | undefined;
  private readonly whole = verdict();

  constructor(
    private readonly process: DuckdbProcess,
    private readonly blobs: Blobs,
    private readonly maxBytes: number,
  ) {}

  take(answer: DuckdbAnswer): void {
    if ('columns' in answer) this.columns = answer.columns;
    else if ('rows' in answer) this.addRows(answer.rows, answer.json);
    else if ('table' in answer) this.startTable(answer.table);
  }

  async finish({ count, statements }: { count: number; statements: number }): Promise<JsonObject> {
    this.whole.resolve();
    const rows = this.table ? await this.reference(count) : this.rows;
    return { columns: this.columns, rows, row_count: count, statement_count: statements };
  }

  /** Throws if the rows could not be stored, even if their process was ended because of that. */
  async settled(): Promise<void> {
    this.discard();
    await this.table?.stored.catch((error: unknown) => {
      if (!(error instanceof CutShort)) throw error;
    });
  }

  /** Rows that are incomplete now stay incomplete. */
  discard(): void {
    this.whole.reject(new CutShort('the rows are incomplete'));
  }

  private addRows(rows: Json[][], json: number[] = []): void {
    for (const values of rows) {
      for (const index of json)
        if (values[index] !== null) values[index] = decodeJson(values[index] as string);
      const row: JsonObject = {};
      for (const [index, name] of this.columns.entries()) define(row, name, values[index] as Json);
      this.rows.push(row);
      this.count(encodeJson(row).length + 2);
    }
  }

  private count(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes <= this.maxBytes) return;
    throw new ResultTooLarge(
      `the result is larger than ${this.maxBytes} bytes; raise "max_bytes", or request less`,
    );
  }

  private startTable(fields: ArrowField[]): void {
    this.rows = [];
    this.bytes = 0;
    const stream = arrowStream(fields, this.process.stdout, this.whole.promise);
    const hint = { type: 'list', content_type: ARROW_STREAM };
    const stored = this.blobs.put(this.counted(stream), { hint, maxBytes: this.maxBytes });
    // Nobody reads its rows any more, so it would wait forever.
    stored.catch(this.process.kill);
    this.table = { fields, stored };
  }

  private async *counted(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of stream) {
      this.count(bytes.length);
      yield bytes;
    }
  }

  private async reference(length: number): Promise<Reference> {
    const { fields, stored } = this.table!;
    const types = fields.map(castSql);
    const hint = { type: 'list', length, columns: this.columns, types, content_type: ARROW_STREAM };
    return { ...(await stored), schema_hint: hint };
  }
}

interface Verdict {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: Error) => void;
}

function verdict(): Verdict {
  const made = {} as Verdict;
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  // Anyone who awaits it sees the error, but perhaps nobody does.
  made.promise.catch(() => {});
  return made;
}
