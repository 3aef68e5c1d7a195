import { type ArrowField, arrowRows, batchMessage, END_OF_STREAM, schemaMessage } from '@woof/arrow';
import { expect, it } from 'vitest';
import { StoreRefusal } from '../result-store/result-store.ts';
import { redactTable } from './redact-table.ts';
import { Redactor } from './redactor.ts';

const SECRET = 'c6880ac8-7368-4743-8a6f-dde2345c230d';

function redactorOf(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add('api.key', secret);
  return redactor;
}

const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)]);

function stream(field: ArrowField, buffers: Buffer[], rows: number): Buffer {
  const all = [Buffer.alloc(0), ...buffers];
  const header = { rows, nodes: [[rows, 0]] as [number, number][], buffers: all.map(({ length }) => length) };
  return Buffer.concat([schemaMessage([field]), batchMessage(header), ...all.map(padded), END_OF_STREAM]);
}

function texts(...values: string[]): Buffer {
  const offsets = Buffer.alloc(4 * (values.length + 1));
  let at = 0;
  for (const [index, value] of values.entries()) {
    at += Buffer.byteLength(value);
    offsets.writeInt32LE(at, 4 * index + 4);
  }
  return stream({ name: 't', kind: 'utf8' }, [offsets, Buffer.from(values.join(''))], values.length);
}

async function redacted(bytes: Buffer, redactor: Redactor): Promise<Buffer> {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 11) yield bytes.subarray(at, at + 11);
  }
  const parts: Uint8Array[] = [];
  for await (const part of redactTable(pieces(), redactor)) parts.push(part);
  return Buffer.concat(parts);
}

it('puts asterisks in the place of a secret, in any of its forms, and leaves the rest readable', async () => {
  const form = Buffer.from(`user:${SECRET}`).toString('base64');
  const table = texts('before', `key=${SECRET};`, 'é', form, 'after');
  const clean = await redacted(table, redactorOf(SECRET));
  expect(clean.length).toBe(table.length);
  const rows = arrowRows(clean).map(({ t }) => String(t));
  expect(rows.slice(0, 3)).toEqual(['before', `key=${'*'.repeat(SECRET.length)};`, 'é']);
  expect(rows[3]).toMatch(/^[A-Za-z0-9+/]{0,8}\*+[A-Za-z0-9+/=]{0,4}$/);
  expect(rows[4]).toBe('after');
});

it('finds one among bytes that their text form partly escapes', async () => {
  const secret = "pa'ss-wörd1";
  const data = Buffer.from(`a${secret};z`);
  const offsets = Buffer.from(new Int32Array([0, data.length]).buffer);
  const table = stream({ name: 'b', kind: 'binary' }, [offsets, data], 1);
  const clean = await redacted(table, redactorOf(secret));
  expect(clean.length).toBe(table.length);
  expect(table.includes(secret)).toBe(true);
  expect(clean.includes(secret)).toBe(false);
  expect(arrowRows(clean)).toEqual([{ b: `a${'*'.repeat(Buffer.byteLength(secret))};z` }]);
});

/** The schema, followed by bytes that say nothing about the columns. */
function annotated(table: Buffer, note: string): Buffer {
  const end = 8 + table.readInt32LE(4);
  const bytes = padded(Buffer.from(note));
  const longer = Buffer.concat([table.subarray(0, end), bytes, table.subarray(end)]);
  longer.writeInt32LE(end - 8 + bytes.length, 4);
  return longer;
}

it('refuses to store one in the description of a table', async () => {
  const table = annotated(texts('one'), `made with ${SECRET}`);
  expect(arrowRows(table)).toEqual([{ t: 'one' }]);
  await expect(redacted(table, redactorOf(SECRET))).rejects.toBeInstanceOf(StoreRefusal);
  expect(await redacted(table, redactorOf('another secret'))).toEqual(table);
});

it('leaves a table without one unchanged', async () => {
  const table = texts('one', 'two');
  expect(await redacted(table, redactorOf(SECRET))).toEqual(table);
});

const uuid: [ArrowField, Buffer] = [
  { name: 'u', kind: 'fixed', width: 16, sql: 'UUID' },
  Buffer.from(SECRET.replaceAll('-', ''), 'hex'),
];
const number: [ArrowField, Buffer] = [
  { name: 'n', kind: 'int', bits: 64, signed: true },
  Buffer.from(new BigInt64Array([123456789012n]).buffer),
];

it.each([
  ['a UUID', ...uuid],
  ['a number', ...number],
  ['a name', { name: SECRET, kind: 'bool' } as ArrowField, Buffer.from([1])],
])('refuses to store one that is %s', async (_what, field, data) => {
  const table = stream(field, [data], 1);
  await expect(redacted(table, redactorOf(SECRET, '123456789012'))).rejects.toBeInstanceOf(StoreRefusal);
  expect(await redacted(table, redactorOf('another secret'))).toEqual(table);
});
