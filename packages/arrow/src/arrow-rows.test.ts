/** Streams from another writer (pyarrow 25), our own streams, and bytes that are neither. */

import { readFileSync } from 'node:fs';
import { decodeJson } from '@woof/net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArrowFault, type ArrowField } from './arrow-field.ts';
import { ArrowReader } from './arrow-reader.ts';
import { arrowRows, jsonOf, streamRows } from './arrow-rows.ts';
import { batchMessage, END_OF_STREAM, schemaMessage } from './arrow-writer.ts';
import { castSql, storageSql } from './sql-types.ts';

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.arrow`, import.meta.url));

const ROWS = [
  {
    i: 1,
    l: 1_152_921_504_606_846_976n,
    s: 'a',
    f: 1.5,
    b: true,
    d: 12.5,
    x: [1, 2],
    st: { a: 1, b: 'x' },
    t: '2024-02-29T10:11:12.5+00:00',
    n: null,
    m: [{ key: 'k', value: 1 }],
    y: '\\x00a',
  },
  {
    i: null,
    l: 1,
    s: null,
    f: null,
    b: null,
    d: null,
    x: null,
    st: null,
    t: null,
    n: null,
    m: null,
    y: null,
  },
  {
    i: -3,
    l: null,
    s: 'é',
    f: null,
    b: false,
    d: -0.01,
    x: [],
    st: { a: null, b: 'y' },
    t: '1969-12-31T00:00:00+00:00',
    n: null,
    m: [],
    y: '',
  },
];

describe('a stream from another writer', () => {
  it('yields the rows that were written, however the bytes are split', async () => {
    const bytes = fixture('foreign');
    expect(arrowRows(bytes)).toEqual(ROWS);
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
    }
    const text: Buffer[] = [];
    for await (const piece of jsonOf(pieces())) text.push(piece);
    expect(decodeJson(Buffer.concat(text).toString())).toEqual(ROWS);
  });

  it.each([
    [{ name: 'h', kind: 'float', bits: 16 }, /the column "h" has floats of 16 bits/],
    [
      { name: 'd', kind: 'decimal', bits: 32, precision: 5, scale: 1 },
      /the column "d" has decimals of 32 bits/,
    ],
    [
      { name: 'd', kind: 'decimal', bits: 64, precision: 5, scale: 1 },
      /the column "d" has decimals of 64 bits/,
    ],
  ] as [ArrowField, RegExp][])(
    'is refused by name if it has numbers that Woof does not read: %j',
    (field, message) => {
      expect(() => new ArrowReader().push(schemaMessage([field]))).toThrow(message);
    },
  );

  it.each([
    ['foreign-dict', /the column "d" has a dictionary/],
    ['foreign-zstd', /compressed batches/],
    ['foreign-large', /the column "s" has a type that Woof cannot read/],
  ])('is refused by name if it has a feature that Woof does not read: %s', (name, message) => {
    expect(() => arrowRows(fixture(name))).toThrow(message);
  });
});

describe('bytes that are not a stream', () => {
  it.each([
    [Buffer.alloc(0), /ends before the description of its columns/],
    [Buffer.from('PAR1 and more of it'), /not an Arrow IPC stream/],
    [fixture('foreign').subarray(0, 2000), /middle of a batch/],
  ])('are refused: case %#', (bytes, message) => {
    expect(() => arrowRows(bytes)).toThrow(message);
  });

  it('are refused, or yield some rows, wherever they were changed', () => {
    const whole = fixture('foreign');
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    const law = fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
      const bytes = Buffer.from(whole);
      for (const [at, value] of changes) bytes[at] = value;
      try {
        expect(Array.isArray(arrowRows(bytes))).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(ArrowFault);
      }
    });
    fc.assert(law, { numRuns: 1000 });
  });
});

describe('a small stream that claims to be large', () => {
  const some = (count: number, field: ArrowField) => Array.from({ length: count }, () => field);
  const batchOf = (rows: number, nodes: number, buffers: number[] = []) =>
    Buffer.concat([
      batchMessage({ rows, nodes: Array.from({ length: nodes }, () => [rows, 0]), buffers }),
      ...buffers.map((length) => Buffer.alloc(Math.ceil(length / 8) * 8)),
    ]);
  const stream = (fields: ArrowField[], batches: Buffer[]) =>
    Buffer.concat([schemaMessage(fields), ...batches, END_OF_STREAM]);
  const nothing: ArrowField = { name: 'n', kind: 'null' };
  const bool: ArrowField = { name: 'b', kind: 'bool' };
  const repeated = (count: number, batch: Buffer) => Array.from({ length: count }, () => batch);

  it.each([
    ['columns without bytes', stream(some(200, nothing), [batchOf(60_000, 200)])],
    ['batches without bytes', stream([nothing], repeated(200, batchOf(60_000, 1)))],
    ['rows without columns', stream([], repeated(200, batchOf(60_000, 0)))],
    [
      'structs without fields',
      stream([{ name: 's', kind: 'struct' }], repeated(200, batchOf(60_000, 1, [0]))),
    ],
    ['bits', stream([bool], [batchOf(8_000_000, 1, [0, 1_000_000])])],
  ])('is refused, with advice: %s', (_what, bytes) => {
    expect(bytes.length).toBeLessThan(2_000_000);
    expect(() => arrowRows(bytes)).toThrow(/more than \d+ values.*read it with a duckdb task/);
  });

  it('is read if it is no larger than an ordinary table', () => {
    expect(arrowRows(stream([nothing], repeated(3, batchOf(60_000, 1))))).toHaveLength(180_000);
    expect(arrowRows(stream([bool], [batchOf(800_000, 1, [0, 100_000])]))).toHaveLength(800_000);
  });

  it('is refused when read in parts too, but may have any number of parts', async () => {
    const count = async (bytes: Buffer) => {
      let rows = 0;
      for await (const part of streamRows(once(bytes))) rows += part.length;
      return rows;
    };
    async function* once(bytes: Buffer) {
      yield bytes;
    }
    expect(await count(stream([nothing], repeated(80, batchOf(60_000, 1))))).toBe(4_800_000);
    await expect(count(stream(some(200, nothing), [batchOf(60_000, 200)]))).rejects.toThrow(ArrowFault);
  });

  it('is refused if many columns share one long name', () => {
    const name = 'x'.repeat(10_000);
    const message = schemaMessage([{ ...nothing, name }, ...some(2000, nothing)]);
    expect(new ArrowReader().push(message)).toHaveLength(1);
    expect(() => new ArrowReader().push(sharing(message, 2001))).toThrow(/repeats itself too often/);
  });
});

/** Makes every column of the message refer to the first one. */
function sharing(message: Buffer, count: number): Buffer {
  const bytes = Buffer.from(message);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(count);
  const at = bytes.indexOf(length) + 4;
  const first = at + bytes.readUInt32LE(at);
  for (let index = 0; index < count; index++) bytes.writeUInt32LE(first - at - 4 * index, at + 4 * index);
  return bytes;
}

describe('a stream that Woof wrote', () => {
  it('describes its columns as they were, however many there are', () => {
    const fields: ArrowField[] = Array.from({ length: 300 }, (_, at) => ({
      name: `column ${at} ☃`,
      kind: 'list',
      children: [{ name: 'item', kind: 'decimal', bits: 256, precision: 39, scale: 0, sql: 'HUGEINT' }],
    }));
    const [part] = new ArrowReader().push(schemaMessage(fields));
    expect(part).toMatchObject({ fields });
  });

  it('ends where it says, and not before', () => {
    const field: ArrowField = { name: 'n', kind: 'int', bits: 32, signed: true };
    const batch = batchMessage({ rows: 1, nodes: [[1, 0]], buffers: [0, 4] });
    const body = Buffer.from([7, 0, 0, 0, 0, 0, 0, 0]);
    const stream = Buffer.concat([schemaMessage([field]), batch, body, END_OF_STREAM]);
    expect(arrowRows(stream)).toEqual([{ n: 7 }]);
    expect(() => arrowRows(stream.subarray(0, stream.length - 12))).toThrow(/middle of a batch/);
  });
});

describe('types as SQL', () => {
  it.each([
    ["ENUM('a', 'b''c')", "ENUM('a', 'b''c')"],
    ['INTERVAL', 'INTERVAL'],
    ['INTEGER); DROP TABLE t; --', 'VARCHAR'],
    ["ENUM('a'); DROP TABLE t; --')", 'VARCHAR'],
    ["ENUM('a', 'b'', (SELECT 1))", 'VARCHAR'],
  ])('accept only known type names: %s', (sql, expected) => {
    const field: ArrowField = { name: 'c', kind: 'utf8', sql };
    expect(castSql(field)).toBe(expected);
    expect(storageSql(field)).toBe('VARCHAR');
  });

  it('quote names', () => {
    const child: ArrowField = { name: 'a" INT); --', kind: 'bool' };
    expect(castSql({ name: 's', kind: 'struct', children: [child] })).toBe('STRUCT("a"" INT); --" BOOLEAN)');
  });
});
