/** Results as Arrow: for every type, they equal the JSON of the same query, and come back with their original types. */
import { ARROW_STREAM, arrowRows, batchMessage, END_OF_STREAM, schemaMessage } from '@woof/arrow';
import type { Json, JsonObject, Outcome, Reference } from '@woof/net';
import { probeSandbox, sandboxRefusal } from '@woof/sandbox';
import { describeUnless } from '@woof/testkit';
import { temporaryFolder } from '@woof/testkit/temporary-folder';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryBlobs, toolCall, toolContext } from '../exercise-tool.ts';
import { once } from '../once.ts';
import { createDuckdbTool } from './duckdb-tool.ts';

const probe = await probeSandbox();
const reason = probe.available ? undefined : sandboxRefusal(probe);

/** By type: values at its limits and within. */
const VALUES: Record<string, string[]> = {
  BOOLEAN: ['true', 'false'],
  TINYINT: ['-128', '127', '0'],
  SMALLINT: ['-32768', '32767'],
  INTEGER: ['-2147483648', '2147483647', '42'],
  BIGINT: ['-9223372036854775808', '9223372036854775807', '9007199254740993', '7'],
  UTINYINT: ['255', '0'],
  USMALLINT: ['65535'],
  UINTEGER: ['4294967295'],
  UBIGINT: ['18446744073709551615', '1'],
  HUGEINT: [
    '-170141183460469231731687303715884105728',
    '170141183460469231731687303715884105727',
    '-1',
    '18446744073709551616',
  ],
  UHUGEINT: ['340282366920938463463374607431768211455', '0'],
  FLOAT: ["'nan'", "'-inf'", '1.1', '-0.0'],
  DOUBLE: ["'nan'", "'inf'", '1e308', '5e-324', '0.1'],
  'DECIMAL(4,1)': ['-999.9', '0.1'],
  'DECIMAL(38,10)': ['9999999999999999999999999999.9999999999', '-0.0000000001', '1.5'],
  VARCHAR: ["''", "'ünï ☃ 🦆'", "'a''b\"c'", "repeat('x', 300)", "'***'"],
  BLOB: ["'\\x00\\xFF\\x27abc'", "''"],
  UUID: [
    "'00000000-0000-0000-0000-000000000000'",
    "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
    "'c6880ac8-7368-4743-8a6f-dde2345c230d'",
  ],
  DATE: ["'infinity'", "'-infinity'", "'0044-03-15 (BC)'", "'290000-12-31'", "'1970-01-01'", "'1969-12-31'"],
  TIME: ["'00:00:00'", "'23:59:59.999999'", "'24:00:00'"],
  TIME_NS: ["'10:00:00.123456789'"],
  TIMETZ: ["'10:00:00.5+02:30'", "'23:59:59-15:59'"],
  TIMESTAMP: [
    "'infinity'",
    "'-infinity'",
    "'0044-03-15 (BC) 12:00:00'",
    "'1969-12-31 23:59:59.999999'",
    "'99999-01-01'",
  ],
  TIMESTAMP_S: ["'2024-02-29 10:11:12'", "'1900-01-01'"],
  TIMESTAMP_MS: ["'2024-02-29 10:11:12.123'"],
  TIMESTAMP_NS: ["'2024-02-29 10:11:12.123456789'", "'1900-01-01 00:00:00.000000001'"],
  TIMESTAMPTZ: ["'2024-02-29 10:11:12.5+02'", "'infinity'"],
  INTERVAL: ["'1 year -2 months 3 days 04:05:06.789'", "'-1 day'", "'00:00:00'", "'2400:00:00'"],
  BIT: ["'101'", "'00000000001'"],
  BIGNUM: ["'123456789012345678901234567890'", "'-1'"],
  "ENUM('a', 'b''c', '')": ["'a'", "'b''c'", "''"],
  JSON: [`'{"a": [1, null, "x"]}'`, "'null'", `'"text"'`, "'1.50'"],
  'UNION(n INTEGER, t VARCHAR)': ['union_value(n := 1)', "union_value(t := 'x')"],
};

interface Column {
  type: string;
  value: fc.Arbitrary<string>;
}

const leaves: Column[] = Object.entries(VALUES).map(([type, literals]) => ({
  type,
  value: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...literals).map((each) => `CAST(${each} AS ${type})`) },
    { weight: 1, arbitrary: fc.constant(`CAST(NULL AS ${type})`) },
  ),
}));

const orNull = ({ type, value }: Column): Column => ({
  type,
  value: fc.oneof(
    { weight: 4, arbitrary: value },
    { weight: 1, arbitrary: fc.constant(`CAST(NULL AS ${type})`) },
  ),
});

const listOf = ({ type, value }: Column) =>
  orNull({
    type: `${type}[]`,
    value: fc.array(value, { maxLength: 3 }).map((all) => `CAST([${all.join(', ')}] AS ${type}[])`),
  });
const arrayOf = ({ type, value }: Column) =>
  orNull({
    type: `${type}[2]`,
    value: fc.tuple(value, value).map((all) => `CAST([${all.join(', ')}] AS ${type}[2])`),
  });
const structOf = (a: Column, b: Column) =>
  orNull({
    type: `STRUCT("a b" ${a.type}, "c" ${b.type})`,
    value: fc.tuple(a.value, b.value).map(([x, y]) => `{'a b': ${x}, 'c': ${y}}`),
  });
const mapOf = ({ type, value }: Column) =>
  orNull({
    type: `MAP(VARCHAR, ${type})`,
    value: fc
      .array(value, { maxLength: 2 })
      .map(
        (all) =>
          `CAST(map([${all.map((_, at) => `'k${at}'`).join(', ')}]::VARCHAR[], [${all.join(', ')}]::${type}[]) AS MAP(VARCHAR, ${type}))`,
      ),
  });

/** A union comes back as JSON, which is text inside another value. */
const leaf = fc.constantFrom(...leaves.filter(({ type }) => !type.startsWith('UNION')));
const nested = fc.letrec<{ column: Column }>((tie) => ({
  column: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    tie('column').map(listOf),
    tie('column').map(arrayOf),
    fc.tuple(tie('column'), tie('column')).map(([a, b]) => structOf(a, b)),
    tie('column').map(mapOf),
  ),
})).column;

/** Rows in SQL syntax. */
const table = (columns: fc.Arbitrary<Column[]>) =>
  columns.chain((all) =>
    fc.array(fc.tuple(...all.map(({ value }) => value)), { minLength: 1, maxLength: 12 }).map((rows) => {
      const names = all.map((_, at) => `c${at}`);
      const select = rows.map((row) => `SELECT ${row.map((value, at) => `${value} AS c${at}`).join(', ')}`);
      return { names, command: select.join(' UNION ALL ') };
    }),
  );

describeUnless(reason)('results as Arrow', () => {
  const folder = temporaryFolder('duckdb-arrow');
  const [inline, byArrow] = [createDuckdbTool(), createDuckdbTool({ inlineMaxBytes: 0 })];
  const blobs = new MemoryBlobs();
  const run = async (tool: typeof inline, input: JsonObject) => {
    const outcome = (await tool.run(toolCall({ input, workdir: folder }), toolContext({ blobs }))) as Outcome;
    expect(outcome.error, String(input.command)).toBeUndefined();
    return outcome.result as { rows: Json; columns: string[] };
  };
  const bytesOf = async (reference: Reference) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of blobs.get(reference)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };

  /** A union becomes JSON, and inside another value nothing marks a text as JSON. */
  const comparable = (types: Json) =>
    String(types)
      .replaceAll(/UNION\([^)]*\)/g, 'JSON')
      .replaceAll('JSON', 'VARCHAR');

  const check = async ({ names, command }: { names: string[]; command: string }) => {
    const types = `SELECT *, [${names.map((name) => `typeof(${name})`).join(', ')}] AS types`;
    const expected = (await run(inline, { command: `${types} FROM (${command})` })).rows as JsonObject[];
    const { rows } = await run(byArrow, { command });
    expect(rows).toMatchObject({ schema_hint: { columns: names, content_type: ARROW_STREAM } });
    const values = expected.map(({ types: _, ...row }) => row);
    expect(arrowRows(await bytesOf(rows as Reference))).toEqual(values);
    const again = (await run(inline, { command: `${types} FROM t`, tables: { t: rows } }))
      .rows as JsonObject[];
    expect(again.map(({ types: _, ...row }) => row)).toEqual(values);
    expect(again.map(({ types: of }) => comparable(of!))).toEqual(
      expected.map(({ types: of }) => comparable(of!)),
    );
  };

  it('contain every type at its limits', async () => {
    const names = Object.keys(VALUES).map((_, at) => `c${at}`);
    const longest = Math.max(...Object.values(VALUES).map((each) => each.length)) + 1;
    const rows = Array.from({ length: longest }, (_, at) =>
      Object.entries(VALUES).map(([type, all]) => `CAST(${all[at] ?? 'NULL'} AS ${type})`),
    );
    const select = rows.map((row) => `SELECT ${row.map((value, at) => `${value} AS c${at}`).join(', ')}`);
    await check({ names, command: select.join(' UNION ALL ') });
  });

  describe('from another writer', () => {
    const stored = async (unit: number, values: bigint[]) => {
      const batch = batchMessage({
        rows: values.length,
        nodes: [[values.length, 0]],
        buffers: [0, 8 * values.length],
      });
      const body = Buffer.from(new BigInt64Array(values).buffer);
      const schema = schemaMessage([{ name: 't', kind: 'timestamp', unit, zone: 'Europe/Berlin' }]);
      const bytes = Buffer.concat([schema, batch, body, END_OF_STREAM]);
      return blobs.put(once(bytes), { hint: { content_type: ARROW_STREAM } });
    };

    it.each([
      ['seconds', 0, 1n],
      ['milliseconds', 1, 1_000n],
      ['microseconds', 2, 1_000_000n],
      ['nanoseconds', 3, 1_000_000_000n],
    ])('represent the same time if they count zoned times in %s', async (_name, unit, second) => {
      const reference = await stored(unit, [1_709_201_472n * second, -1n * second]);
      const expected = [{ t: '2024-02-29T10:11:12+00:00' }, { t: '1969-12-31T23:59:59+00:00' }];
      expect(arrowRows(await bytesOf(reference))).toEqual(expected);
      expect((await run(inline, { command: 'FROM t', tables: { t: reference } })).rows).toEqual(expected);
    });

    it('are refused if a time does not fit', async () => {
      const reference = await stored(0, [2n ** 62n]);
      const input = { command: 'FROM t', tables: { t: reference } };
      const outcome = (await inline.run(
        toolCall({ input, workdir: folder }),
        toolContext({ blobs }),
      )) as Outcome;
      expect(outcome.error?.message).toMatch(/"t".*out of range/i);
    });
  });

  it('represent any table of any types', async () => {
    const tables = table(fc.array(nested, { minLength: 1, maxLength: 12 }));
    await fc.assert(fc.asyncProperty(tables, check), { numRuns: 3, endOnFailure: true });
  });
});
