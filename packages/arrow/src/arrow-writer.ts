/** The messages of an Arrow IPC stream, without batch bodies: the code that has the values writes those. */
import type { ArrowField } from './arrow-field.ts';
import { FlatWriter, int, pairs, type Slot, table, tables, text, wide } from './flat-writer.ts';

const VERSION_5 = 4;
const HEADERS = { schema: 1, batch: 3 } as const;

export const END_OF_STREAM = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);

export interface BatchHeader {
  rows: number;
  /** `[length, nulls]` per column, in schema order, children after their parents. */
  nodes: [length: number, nulls: number][];
  /** The lengths of the buffers, which follow one another in the body, each padded to eight bytes. */
  buffers: number[];
}

export function schemaMessage(fields: readonly ArrowField[]): Buffer {
  return message('schema', [int(2, 0), tables(fields.map((field) => fieldSlots(field)))], 0);
}

export function batchMessage({ rows, nodes, buffers }: BatchHeader): Buffer {
  let at = 0;
  const places = buffers.map((length): [number, number] => {
    const place: [number, number] = [at, length];
    at += padded(length);
    return place;
  });
  return message('batch', [wide(rows), pairs(nodes), pairs(places)], at);
}

export function padded(length: number): number {
  return Math.ceil(length / 8) * 8;
}

function message(kind: keyof typeof HEADERS, header: Slot[], bodyLength: number): Buffer {
  const flat = FlatWriter.build([int(2, VERSION_5), int(1, HEADERS[kind]), table(header), wide(bodyLength)]);
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32LE(0xffffffff, 0);
  prefix.writeInt32LE(flat.length, 4);
  return Buffer.concat([prefix, flat]);
}

/** Map entries and their keys are never null, and other readers require the schema to say so. */
function fieldSlots(field: ArrowField, parent?: ArrowField, isKey = false): Slot[] {
  const [type, slots] = typeSlots(field);
  const metadata = metadataOf(field).map(([key, value]) => [text(key), text(value)]);
  const isEntry = parent?.kind === 'map';
  const children = (field.children ?? []).map((child, at) => fieldSlots(child, field, isEntry && at === 0));
  return [
    text(field.name),
    int(1, isEntry || isKey ? 0 : 1),
    int(1, type),
    table(slots),
    undefined,
    tables(children),
    metadata.length > 0 ? tables(metadata) : undefined,
  ];
}

function metadataOf({ kind, sql, encoded, width }: ArrowField): [string, string][] {
  const metadata: [string, string][] = [];
  if (sql !== undefined) metadata.push(['duckdb:type', sql]);
  if (encoded) metadata.push(['woof:encoded', 'json']);
  if (kind === 'fixed' && width === 16 && sql === 'UUID')
    metadata.push(['ARROW:extension:name', 'arrow.uuid']);
  return metadata;
}

const PRECISIONS: Record<number, number> = { 16: 0, 32: 1, 64: 2 };

/** The type's number in the Arrow format, and its fields. */
function typeSlots(field: ArrowField): [type: number, slots: Slot[]] {
  const { bits = 0, unit = 0, width = 0 } = field;
  switch (field.kind) {
    case 'null':
      return [1, []];
    case 'int':
      return [2, [int(4, bits), int(1, field.signed ? 1 : 0)]];
    case 'float':
      return [3, [int(2, PRECISIONS[bits]!)]];
    case 'binary':
      return [4, []];
    case 'utf8':
      return [5, []];
    case 'bool':
      return [6, []];
    case 'decimal':
      return [7, [int(4, field.precision!), int(4, field.scale!), int(4, bits)]];
    case 'date':
      return [8, [int(2, 0)]];
    case 'time':
      return [9, [int(2, unit), int(4, 64)]];
    case 'timestamp':
      return [10, [int(2, unit), field.zone === undefined ? undefined : text(field.zone)]];
    case 'list':
      return [12, []];
    case 'struct':
      return [13, []];
    case 'fixed':
      return [15, [int(4, width)]];
    case 'fixed_list':
      return [16, [int(4, width)]];
    case 'map':
      return [17, [int(1, 0)]];
  }
}
