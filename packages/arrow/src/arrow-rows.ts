/** The rows of an Arrow IPC stream as JSON, equal to what a small query returns directly. */
import { encodeJson, type Json, type JsonObject } from '@woof/net';
import { type ArrowField, ArrowTooLarge } from './arrow-field.ts';
import { type ArrowBatch, type ArrowPart, ArrowReader } from './arrow-reader.ts';
import { CellBudget } from './cell-budget.ts';
import { ColumnCursor, columnValues, parsedJson, rowOf } from './column-values.ts';

/** The decoded values take many times the space of the bytes. A tool must read larger streams in parts. */
const MOST_AT_ONCE = 256 * 1024 * 1024;

export function arrowRows(bytes: Uint8Array): JsonObject[] {
  if (bytes.length > MOST_AT_ONCE)
    throw new ArrowTooLarge(
      `a table of ${bytes.length} bytes is too large to be one value; read it with a duckdb task, through "tables"`,
    );
  const reader = new ArrowReader();
  const rows: JsonObject[] = [];
  const take = rowsTaker(new CellBudget(bytes.length));
  for (const part of reader.push(bytes)) for (const row of take(part)) rows.push(row);
  reader.finish();
  return rows;
}

/** Yields one batch at a time. */
export async function* streamRows(source: AsyncIterable<Uint8Array>): AsyncGenerator<JsonObject[]> {
  const reader = new ArrowReader();
  const take = rowsTaker();
  for await (const bytes of source)
    for (const part of reader.push(bytes)) {
      const rows = take(part);
      if (rows.length > 0) yield rows;
    }
  reader.finish();
}

const PIECE = 64 * 1024;

/** Yields the rows as pieces of one JSON array, which is larger than the batches: every row repeats the names. */
export async function* jsonOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let text = '[';
  let between = '';
  for await (const rows of streamRows(source))
    for (const row of rows) {
      text += between + encodeJson(row);
      between = ',\n';
      if (text.length < PIECE) continue;
      yield Buffer.from(text);
      text = '';
    }
  yield Buffer.from(`${text}]`);
}

/** Without a shared budget, each batch gets its own. */
function rowsTaker(budget?: CellBudget): (part: ArrowPart) => JsonObject[] {
  let fields: ArrowField[] = [];
  return (part) => {
    if ('fields' in part) fields = part.fields;
    return 'batch' in part ? rowsOfBatch(fields, part.batch, budget) : [];
  };
}

export function rowsOfBatch(
  fields: readonly ArrowField[],
  batch: ArrowBatch,
  budget = new CellBudget(batch.body.length),
): JsonObject[] {
  const cursor = new ColumnCursor(batch, budget);
  const columns = fields.map((field) => parsed(field, columnValues(field, cursor)));
  const names = fields.map(({ name }) => name);
  const rows: JsonObject[] = [];
  for (let index = 0; index < batch.rows; index++) rows.push(rowOf(names, columns, index));
  return rows;
}

/** The values of a column of type JSON are parsed. */
function parsed({ sql }: ArrowField, values: Json[]): Json[] {
  if (sql !== 'JSON') return values;
  return values.map((value) => (typeof value === 'string' ? parsedJson(value) : value));
}
