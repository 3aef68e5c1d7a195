import { getEventListeners } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Float, type Json, type JsonObject, type Outcome } from '@woof/net';
import { probeSandbox, sandboxRefusal } from '@woof/sandbox';
import { describeUnless } from '@woof/testkit';
import { someDecimals } from '@woof/testkit/decimals';
import { NOT_FINITE } from '@woof/testkit/exact-values';
import { temporaryFolder } from '@woof/testkit/temporary-folder';
import { describe, expect, it } from 'vitest';
import { exerciseTool, MemoryBlobs, toolCall, toolContext } from '../exercise-tool.ts';
import type { ToolContext } from '../tool.ts';
import { createDuckdbTool } from './duckdb-tool.ts';

const probe = await probeSandbox();
const reason = probe.available ? undefined : sandboxRefusal(probe);

describeUnless(reason)('duckdb', () => {
  const tool = createDuckdbTool();
  const folder = temporaryFolder('duckdb-test');
  const files = { io_policy: { allow_files: true } };
  const run = (input: JsonObject, spec: JsonObject = {}, context: Partial<ToolContext> = {}) =>
    tool.run(toolCall({ input, spec, workdir: folder }), toolContext(context)) as Promise<Outcome>;
  const rowsOf = async (input: JsonObject, spec: JsonObject = {}, context: Partial<ToolContext> = {}) => {
    const outcome = await run(input, spec, context);
    expect(outcome.error).toBeUndefined();
    return (outcome.result as { rows: JsonObject[] }).rows;
  };

  exerciseTool('duckdb', {
    make: createDuckdbTool,
    good: [{ input: { command: 'SELECT 1 AS one' } }],
    bad: [
      [{ input: {} }, /"command" is missing/],
      [{ input: { command: ' ' } }, /"command" contains no statement/],
      [{ input: { command: 'SELECT $1', params: [] } }, /neither "params" nor .* have a value for \$1/],
      [{ input: { command: 'SELECT $a', params: { b: 1 } } }, /neither "params" nor .* have a value for \$a/],
      [{ input: { command: 'SELECT 1', database: '/etc/x.duckdb' } }, /"database".*under the document/],
      [{ input: { command: 'SELECT 1', database: '../x.duckdb' } }, /"database".*under the document/],
      [{ input: { command: 'SELECT 1', tables: { a: [] } } }, /"tables.a" must be/],
    ],
    forbidden: [[{ input: { command: 'SELECT 1', database: 'x.duckdb' } }, 'allow_files']],
    slow: { input: { command: 'SELECT count(*) FROM range(1000000000) a, range(1000000000) b' } },
  });

  it('returns columns, rows and their count', async () => {
    const command =
      'CREATE TABLE t (n INT, s TEXT); INSERT INTO t VALUES (1, $a), (2, NULL); SELECT * FROM t ORDER BY n';
    expect((await run({ command, params: { a: "'; DROP TABLE t" } })).result).toEqual({
      columns: ['n', 's'],
      rows: [
        { n: 1, s: "'; DROP TABLE t" },
        { n: 2, s: null },
      ],
      row_count: 2,
      statement_count: 3,
    });
    expect(
      (await run({ command: 'CREATE TABLE t (n INT); INSERT INTO t VALUES (1), (2)' })).result,
    ).toMatchObject({
      rows: [],
      row_count: 2,
      columns: [],
    });
    expect((await run({ query: 'SELECT ? + ? AS n', params: [1, 2.5] })).result).toMatchObject({
      rows: [{ n: 3.5 }],
    });
  });

  it('returns values unchanged', async () => {
    const columns: [string, Json][] = [
      ['9007199254740993::BIGINT', 9007199254740993n],
      ['42::BIGINT', 42],
      ['170141183460469231731687303715884105727::HUGEINT', 170141183460469231731687303715884105727n],
      ['12.50::DECIMAL(10,2)', 12.5],
      ['12.00::DECIMAL(10,2)', new Float(12)],
      ['0.1234567890123456789::DECIMAL(20,19)', '0.1234567890123456789'],
      ['1.5::DECIMAL(38,30)', 1.5],
      ['2.0::DOUBLE', new Float(2)],
      ['1e300::DOUBLE', new Float(1e300)],
      ['[-0.0::DOUBLE, 1.5]', [new Float(-0), 1.5]],
      ["{'a': 2.0::DOUBLE, 'b': 9007199254740993}", { a: new Float(2), b: 9007199254740993n }],
      ["'nan'::DOUBLE", null],
      ["to_json(['inf'::DOUBLE, 1])", [null, new Float(1)]],
      ...NOT_FINITE.map(([text, data]): [string, Json] => [`'${text}'::JSON`, data]),
      ["DATE '2024-02-29'", '2024-02-29'],
      ["TIMESTAMP '2024-02-29 10:11:12.123456'", '2024-02-29T10:11:12.123456'],
      ["TIMESTAMPTZ '2024-02-29 10:11:12+02'", '2024-02-29T08:11:12+00:00'],
      ['[1, NULL, 3]', [1, null, 3]],
      ["{'a': 1, 'b': [2::BIGINT]}", { a: 1, b: [2] }],
      [`'{"a": [1, 1.0, null]}'::JSON`, { a: [1, new Float(1), null] }],
      ['true', true],
      ['NULL', null],
    ];
    const sql = `SELECT ${columns.map(([each], index) => `${each} AS c${index}`).join(', ')}`;
    const [row] = await rowsOf({ command: sql });
    expect(Object.values(row!)).toEqual(columns.map(([, value]) => value));
  });

  it('returns decimals as Python reads them, and accepts them back without loss', async () => {
    const { texts, values } = someDecimals(200);
    const decimal = (text: string) => `DECIMAL(38, ${text.split('.')[1]?.length ?? 0})`;
    const casts = texts.map((text, index) => `'${text}'::${decimal(text)} AS c${index}`);
    const [row] = await rowsOf({ command: `SELECT ${casts.join(', ')}` });
    expect(Object.values(row!)).toEqual(values);
    const equal = texts.map(
      (text, index) => `$${index + 1}::VARCHAR::${decimal(text)} = '${text}'::${decimal(text)}`,
    );
    expect(await rowsOf({ command: `SELECT ${equal.join(' AND ')} AS ok`, params: values })).toEqual([
      { ok: true },
    ]);
  });

  it('binds numbers with their types', async () => {
    const params = [1, new Float(1), 9007199254740993n, 2n ** 100n, 1.5];
    const types = params.map((_, index) => `typeof($${index + 1}) AS t${index}, $${index + 1} AS v${index}`);
    const [row] = await rowsOf({ command: `SELECT ${types.join(', ')}`, params });
    expect(Object.values(row!)).toEqual(
      ['BIGINT', 'DOUBLE', 'BIGINT', 'HUGEINT', 'DOUBLE'].flatMap((type, index) => [type, params[index]]),
    );
  });

  it('runs several statements as a transaction', async () => {
    const database = 'all.duckdb';
    await rowsOf({ database, command: 'CREATE TABLE t (n INT PRIMARY KEY)' }, files);
    const twice = { database, command: 'INSERT INTO t VALUES (1); INSERT INTO t VALUES (1)' };
    const outcome = await run(twice, files);
    expect(outcome.error).toMatchObject({ kind: 'db_constraint', retryable: false });
    expect(outcome.error?.message).toContain('statement 2 of 2');
    expect(await rowsOf({ database, command: 'SELECT * FROM t', read_only: true }, files)).toEqual([]);
    const adding = Array.from({ length: 4 }, (_, n) =>
      run({ database, command: `INSERT INTO t VALUES (${n})` }, files),
    );
    expect((await Promise.all(adding)).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok']);
    const refused = await run({ database, read_only: true, command: 'DELETE FROM t' }, files);
    expect(refused.error?.message).toMatch(/read-only/);
  });

  it('reads and writes parquet, csv and json in its folder', async () => {
    writeFileSync(join(folder, 'in.csv'), 'n,s\n1,a\n2,b\n');
    const command =
      "COPY (SELECT * FROM 'in.csv') TO 'out.parquet'; COPY (SELECT * FROM 'out.parquet') TO 'out.json'";
    await rowsOf({ command }, files);
    expect(readFileSync(join(folder, 'out.json'), 'utf8')).toBe('{"n":1,"s":"a"}\n{"n":2,"s":"b"}\n');
    expect(await rowsOf({ command: "SELECT sum(n) AS n FROM read_json('out.json')" }, files)).toEqual([
      { n: 3 },
    ]);
  });

  it('reads references and lists as tables, and references as parameters', async () => {
    const blobs = new MemoryBlobs();
    const put = (text: string) => blobs.put(bytes(text), { hint: null });
    const tables = {
      json: await put('[{"n": 1}, {"n": 2}]'),
      csv: await put('n;s\n3;x\n'),
      list: [{ n: 4 }, { n: 5 }],
    };
    const command = 'SELECT n FROM json UNION ALL SELECT n FROM csv UNION ALL SELECT n FROM list ORDER BY n';
    expect(await rowsOf({ command, tables }, {}, { blobs })).toEqual([1, 2, 3, 4, 5].map((n) => ({ n })));
    const params = { rows: tables.json };
    expect(
      await rowsOf({ command: 'SELECT count(*) AS n FROM read_json($rows)', params }, {}, { blobs }),
    ).toEqual([{ n: 2 }]);
  });

  it('returns a large result by reference, up to its limit', async () => {
    const blobs = new MemoryBlobs();
    const command = "SELECT range AS n, repeat('x', 1000) AS t FROM range(20000)";
    const { result } = (await run({ command }, {}, { blobs })) as { result: JsonObject };
    expect(result).toMatchObject({
      row_count: 20000,
      rows: { store: 'memory', schema_hint: { length: 20000 } },
    });
    const again = {
      command: 'SELECT count(*) AS n, max(n) AS m FROM rows',
      tables: { rows: result.rows as Json },
    };
    expect(await rowsOf(again, {}, { blobs })).toEqual([{ n: 20000, m: 19999 }]);
    expect((await run({ command, max_bytes: 1000 })).error).toMatchObject({ kind: 'storage' });
  });

  it.each([
    ['SELEC 1', 'client_error', /syntax error/],
    ['SELECT nope', 'client_error', /nope/],
    ['SELECT * FROM nope', 'client_error', /nope/],
    ["SELECT 'x'::INT", 'client_error', /Could not convert/],
    ['SELECT [row(1, 2)] AS r', 'client_error', /struct in "r" have no distinct names; name them/],
  ])('explains the error in %s', async (command, kind, message) => {
    const outcome = await run({ command });
    expect(outcome).toMatchObject({ status: 'error', error: { kind, retryable: false } });
    expect(outcome.error?.message).toMatch(message);
  });

  it('leaves nothing waiting for its end if its rows cannot be stored', async () => {
    const blobs = new MemoryBlobs();
    blobs.put = () => Promise.reject(new Error('the store is gone'));
    const { signal } = new AbortController();
    const small = createDuckdbTool({ inlineMaxBytes: 0 });
    const call = toolCall({ input: { command: 'SELECT 1', timeout: 3600 }, workdir: folder });
    const outcome = (await small.run(call, toolContext({ blobs, signal }))) as Outcome;
    expect(outcome.error?.message).toMatch(/the store is gone/);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('survives running out of memory', async () => {
    const command =
      "SELECT max(len(s)) FROM (SELECT string_agg(repeat('x', 1000), '') AS s FROM range(1000000))";
    const outcome = await run({ command }, { memory_mb: 64 });
    expect(outcome).toMatchObject({
      status: 'error',
      error: { kind: expect.stringMatching(/storage|exception/) },
    });
  });

  describe('what it may reach', () => {
    const secret = join(temporaryFolder('duckdb-outside'), 'secret.csv');
    writeFileSync(secret, 'word\ncanary\n');
    symlinkSync(secret, join(folder, 'link.csv'));
    mkdirSync(join(folder, '.woof'), { recursive: true });
    writeFileSync(join(folder, '.woof', 'kept.csv'), 'word\ncanary\n');
    writeFileSync(join(folder, 'mine.csv'), 'word\ncanary\n');

    it.each([
      [`SELECT * FROM read_text('${secret}')`, {}],
      ["SELECT * FROM read_text('mine.csv')", {}],
      ["COPY (SELECT 1) TO 'made.csv'", {}],
      [`SELECT * FROM read_text('${secret}')`, files],
      ["SELECT * FROM read_text('link.csv')", files],
      ["SELECT * FROM read_text('.woof/kept.csv')", files],
      ["SELECT * FROM read_text('/etc/passwd')", files],
      ["SET enable_external_access = true; SELECT * FROM read_text('/etc/passwd')", {}],
      [`ATTACH '${secret}.db' AS other`, files],
      ['INSTALL httpfs; LOAD httpfs', files],
    ])('refuses %s with %j', async (command, spec) => {
      const outcome = await run({ command }, spec);
      // For some functions, a file that the sandbox hides is not an error but gives no rows.
      if (outcome.status === 'ok') expect(outcome.result).toMatchObject({ rows: [] });
      expect(JSON.stringify(outcome)).not.toMatch(/canary|root:/);
    });

    it('reads the same with files, and without a sandbox', async () => {
      const command = "SELECT content FROM read_text('mine.csv')";
      expect(await rowsOf({ command }, files)).toEqual([{ content: 'word\ncanary\n' }]);
      const bare = { sandbox: false };
      expect(await rowsOf({ command }, files, bare)).toEqual([{ content: 'word\ncanary\n' }]);
      expect((await run({ command }, {}, bare)).error).toMatchObject({ kind: 'policy' });
      const kept = { command: "SELECT content FROM read_text('.woof/kept.csv')" };
      expect(JSON.stringify(await run(kept, files, bare))).toContain('canary');
    });

    it('refuses a database in a file without files', async () => {
      expect((await run({ command: 'SELECT 1', database: 'x.duckdb' })).error).toMatchObject({
        kind: 'policy',
        message: expect.stringContaining('allow_files'),
      });
    });
  });
});

async function* bytes(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
