/** The values of one column of a batch, as JSON. */
import {
  decimalNumber,
  decodeJson,
  define,
  floatOrNull,
  type Json,
  type JsonObject,
  makeInt,
} from '@woof/net';
import { ArrowFault, type ArrowField } from './arrow-field.ts';
import type { ArrowBatch } from './arrow-reader.ts';
import type { CellBudget } from './cell-budget.ts';
import { guarded } from './flat-reader.ts';
import { blobText, dateText, decimalText, timestampText, timeText, uuidText } from './value-text.ts';

/** Takes the nodes and buffers of a batch in column order. The budget bounds how many values a batch may claim. */
export class ColumnCursor {
  private node = 0;
  private buffer = 0;

  constructor(
    private readonly batch: ArrowBatch,
    private readonly budget: CellBudget,
  ) {
    budget.take(batch.rows);
  }

  length(): number {
    const node = this.batch.nodes[this.node++];
    if (node === undefined) throw new ArrowFault('a batch has fewer columns than its schema');
    return this.budget.take(node[0]);
  }

  bytes(): Buffer {
    const place = this.batch.buffers[this.buffer++];
    if (place === undefined) throw new ArrowFault('a batch has fewer buffers than its columns need');
    return this.batch.body.subarray(place[0], place[0] + place[1]);
  }
}

export function columnValues(field: ArrowField, cursor: ColumnCursor): Json[] {
  const length = cursor.length();
  if (field.kind === 'null') return filled(length, () => null);
  const validity = cursor.bytes();
  const isThere = (at: number) => validity.length === 0 || (validity[at >> 3]! & (1 << (at & 7))) !== 0;
  if (validity.length > 0 && validity.length * 8 < length) throw new ArrowFault('a batch is incomplete');
  const at = valueAt(field, cursor, length);
  return guarded(() => filled(length, (index) => (isThere(index) ? at(index) : null)));
}

function filled(length: number, at: (index: number) => Json): Json[] {
  const values: Json[] = [];
  for (let index = 0; index < length; index++) values.push(at(index));
  return values;
}

/** Reads the buffers of the column and of its children. */
function valueAt(field: ArrowField, cursor: ColumnCursor, length: number): (index: number) => Json {
  switch (field.kind) {
    case 'list':
    case 'map': {
      const offsets = cursor.bytes();
      const items = columnValues(onlyChild(field), cursor);
      const place = places(offsets, length, items.length);
      return (index) => items.slice(...place(index));
    }
    case 'fixed_list': {
      const { width = 0 } = field;
      const items = columnValues(onlyChild(field), cursor);
      if (items.length < width * length) throw new ArrowFault('a list of a batch is incomplete');
      return (index) => items.slice(width * index, width * (index + 1));
    }
    case 'struct': {
      const names = (field.children ?? []).map(({ name }) => name);
      const columns = (field.children ?? []).map((child) => columnValues(child, cursor));
      return (index) => rowOf(names, columns, index);
    }
    case 'utf8': {
      const read = slices(cursor, length);
      if (field.encoded) return (index) => parsedJson(read(index).toString('utf8'));
      const isNumber = field.sql === 'BIGNUM';
      return (index) => {
        const text = read(index).toString('utf8');
        return isNumber ? decimalNumber(text) : text;
      };
    }
    case 'binary': {
      const read = slices(cursor, length);
      return (index) => blobText(read(index));
    }
    default:
      return fixedAt(field, cursor.bytes());
  }
}

export function parsedJson(text: string): Json {
  try {
    return decodeJson(text);
  } catch {
    throw new ArrowFault('a value that must be JSON is not JSON');
  }
}

export function rowOf(names: readonly string[], columns: readonly Json[][], index: number): JsonObject {
  const row: JsonObject = {};
  for (const [at, name] of names.entries()) define(row, name, columns[at]![index] ?? null);
  return row;
}

function onlyChild({ name, children }: ArrowField): ArrowField {
  const child = children?.[0];
  if (child === undefined || children!.length > 1) throw new ArrowFault(`the column "${name}" has no items`);
  return child;
}

function slices(cursor: ColumnCursor, length: number): (index: number) => Buffer {
  const offsets = cursor.bytes();
  const data = cursor.bytes();
  const place = places(offsets, length, data.length);
  return (index) => data.subarray(...place(index));
}

/** Slices must not overlap: overlapping slices could repeat the same bytes over and over. */
function places(
  offsets: Buffer,
  length: number,
  most: number,
): (index: number) => [from: number, to: number] {
  const at = (index: number) => guarded(() => offsets.readInt32LE(4 * index));
  for (let index = 0, last = 0; index <= length && length > 0; index++) {
    const next = at(index);
    if (next < last || next > most) throw new ArrowFault('the offsets within a column are not in order');
    last = next;
  }
  return (index) => [at(index), at(index + 1)];
}

function fixedAt(field: ArrowField, data: Buffer): (index: number) => Json {
  const { bits = 0, width = 0, unit = 0 } = field;
  switch (field.kind) {
    case 'bool':
      return (index) => (data.readUInt8(index >> 3) & (1 << (index & 7))) !== 0;
    case 'int':
      return intAt(field, data);
    case 'float':
      return (index) => floatOrNull(bits === 32 ? data.readFloatLE(4 * index) : data.readDoubleLE(8 * index));
    case 'decimal':
      return (index) => decimalNumber(decimalText(bigAt(data, index, bits / 8), field.scale ?? 0));
    case 'date':
      return (index) => dateText(data.readInt32LE(4 * index));
    case 'time':
      return (index) => timeText(data.readBigInt64LE(8 * index), unit === 3 ? 9 : 6);
    case 'timestamp':
      return (index) => timestampText(data.readBigInt64LE(8 * index), unit, field.zone !== undefined);
    default:
      return (index) => {
        const bytes = data.subarray(width * index, width * (index + 1));
        if (bytes.length < width) throw new ArrowFault('a batch is incomplete');
        return width === 16 && field.sql === 'UUID' ? uuidText(bytes) : blobText(bytes);
      };
  }
}

function intAt({ bits = 0, signed, name }: ArrowField, data: Buffer): (index: number) => Json {
  if (![8, 16, 32, 64].includes(bits))
    throw new ArrowFault(`the column "${name}" has integers of ${bits} bits`);
  const size = bits / 8;
  if (size === 8)
    return (index) => makeInt(signed ? data.readBigInt64LE(8 * index) : data.readBigUInt64LE(8 * index));
  return (index) => (signed ? data.readIntLE(size * index, size) : data.readUIntLE(size * index, size));
}

function bigAt(data: Buffer, index: number, size: number): bigint {
  let value = data.readBigInt64LE(size * index + size - 8);
  for (let at = size - 16; at >= 0; at -= 8) value = (value << 64n) | data.readBigUInt64LE(size * index + at);
  return value;
}
