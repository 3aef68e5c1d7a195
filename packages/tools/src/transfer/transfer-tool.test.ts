import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { decodeJson, Float, type Json, type JsonObject, type Outcome } from '@woof/net';
import { probeSandbox, sandboxRefusal } from '@woof/sandbox';
import { describeUnless, type PostgresServer, postgresReason, startPostgres } from '@woof/testkit';
import { someDecimals } from '@woof/testkit/decimals';
import { temporaryFolder } from '@woof/testkit/temporary-folder';
import S3rver from 's3rver';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDuckdbTool } from '../duckdb/duckdb-tool.ts';
import { CANARY, exerciseTool, toolCall, toolContext } from '../exercise-tool.ts';
import { createPostgresTool } from '../postgres/postgres-tool.ts';
import type { Tool } from '../tool.ts';
import { createTransferTool } from './transfer-tool.ts';

const probe = await probeSandbox();
const reason = postgresReason() ?? (probe.available ? undefined : sandboxRefusal(probe));

const ROWS = [
  { id: 1, name: 'a "b", c', score: 1.5, ok: true, tags: { x: [1] }, at: '2024-02-29T10:11:12+00:00' },
  { id: 2, name: '', score: new Float(-2), ok: false, tags: null, at: null },
  { id: 3, name: null, score: null, ok: null, tags: { y: 'z\n' }, at: '2024-02-29T10:11:13+00:00' },
];

/** Lists that come in pages; after null comes the same page again. */
const PAGES: Record<string, Json[]> = {
  grown: [[{ id: 1, a: 'x', b: null }], [{ id: 2, more: null }], [{ id: 3, email: 'e@x' }]],
  mixed: [[{ id: 1, v: { a: 1 } }], [{ id: 2, v: 'text' }]],
  none: [[]],
  late: [[], [], [{ id: 2 }]],
  same: [[{ id: 1 }], null],
};

describeUnless(reason)('transfer', () => {
  let server: PostgresServer;
  let web: Server;
  const asked: string[] = [];
  const posted: { key: string; rows: JsonObject[] }[] = [];
  const folder = temporaryFolder('transfer');
  const [tool, postgres, duckdb] = [createTransferTool(), createPostgresTool(), createDuckdbTool()];
  const spec = { io_policy: { allow_files: true } };
  const base = () => `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const pg = (more: JsonObject) => ({ kind: 'postgres', url: server.url(), ...more });
  let tries = 0;
  const call = (input: JsonObject, key: string) =>
    toolCall({ input, spec, workdir: folder, idempotencyKey: `${key}.${++tries}/${tries}`, visitKey: key });
  const run = (input: JsonObject, key = `x/${Math.random()}`, context = {}) =>
    tool.run(call(input, key), toolContext(context)) as Promise<Outcome>;
  const ask = async (other: Tool, input: JsonObject) => {
    const outcome = (await other.run(call(input, 'q'), toolContext())) as Outcome;
    expect(outcome.error).toBeUndefined();
    return (outcome.result as { rows: JsonObject[] }).rows;
  };
  const sql = (command: string) => ask(postgres, { url: server.url(), command });

  const s3 = {
    kind: 's3',
    bucket: 'mine',
    auth: { access_key_id: 'S3RVER', secret_access_key: 'S3RVER' },
  } as JsonObject;
  const bucket = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: temporaryFolder('s3'),
    configureBuckets: [{ name: 'mine', configs: [] }],
  });
  afterAll(() => bucket.close());

  beforeAll(async () => {
    s3.endpoint = `http://127.0.0.1:${(await bucket.run()).port}`;
    server = await startPostgres();
    web = createServer(
      (request, response) =>
        void answer(request).then((body) => response.writeHead(body ? 200 : 204).end(body)),
    );
    await new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve));
    async function answer(request: IncomingMessage): Promise<string> {
      const page = Number(/page=(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
      const pages = PAGES[/^\/of\/(\w+)/.exec(request.url ?? '')?.[1] ?? ''];
      asked.push(String(request.headers['idempotency-key']));
      if (request.url === '/of/void') return '';
      if (pages) {
        const next = page + 1 < pages.length ? `?page=${page + 1}` : null;
        return JSON.stringify({ d: pages[page], next: pages[page] === null ? `?page=${page}` : next });
      }
      if (request.method === 'GET') {
        const next = page < 2 ? `/rows?page=${page + 1}` : null;
        return JSON.stringify({ data: { items: [ROWS[page]] }, next });
      }
      let text = '';
      for await (const part of request) text += String(part);
      posted.push({
        key: String(request.headers['idempotency-key']),
        rows: decodeJson<JsonObject[]>(text),
      });
      return '{}';
    }
    await sql(`CREATE TABLE origin (id int, name text, score float8, ok bool, tags jsonb, at timestamptz);
      INSERT INTO origin SELECT * FROM jsonb_to_recordset('${JSON.stringify(ROWS).replaceAll("'", "''").replaceAll('\\n', '\\n')}')
        AS r(id int, name text, score float8, ok bool, tags jsonb, at timestamptz)`);
  });
  afterAll(async () => {
    await Promise.all([postgres.close?.(), duckdb.close?.()]);
    web.close();
    await server.dispose();
  });

  exerciseTool('transfer', {
    make: createTransferTool,
    good: [],
    bad: [
      [{ input: {} }, /"source" is missing/],
      [{ input: { source: { kind: 'ftp' }, target: { kind: 'file' } } }, /"kind" must be one of http/],
      [{ input: { source: {}, target: {} } }, /"source.kind" must be one of/],
      [{ input: { source: { kind: 'http' }, target: { kind: 'http' }, mode: 'upsert' } }, /"key" is missing/],
      [
        { input: { source: { kind: 'postgres', host: 'h' }, target: { kind: 'http' } } },
        /"source.query" is missing/,
      ],
      [
        { input: { source: { kind: 'http', rows: 'x' }, target: { kind: 'http' } } },
        /"source.rows" is not a field of http here; .*rows_path/,
      ],
      [
        { input: { source: { kind: 'http' }, target: { kind: 'duckdb', query: 'x' } } },
        /"target.query" is not a field of duckdb here; its fields are database, table/,
      ],
      [
        {
          input: {
            source: { kind: 'http' },
            target: { kind: 'http', mapping: { a: 'b' } },
            mapping: { a: 'c' },
          },
        },
        /"mapping" and "target.mapping" both set/,
      ],
    ],
    forbidden: [
      [
        { input: { source: { kind: 'file', path: 'a.csv' }, target: { kind: 'http', url: 'http://x/' } } },
        'allow_files',
      ],
    ],
    once: {
      call: {
        get input() {
          return { source: pg({ query: 'SELECT 1 AS id' }), target: pg({ table: 'once_rows' }) };
        },
      },
      effects: async () => (await sql('SELECT * FROM once_rows')).length,
    },
    secret: ['source', 'target'].map((end) => {
      const wrong = { kind: 'postgres', host: '127.0.0.1', port: 1, user: 'u', password: CANARY, table: 't' };
      const web = { kind: 'http', url: `http://u:${CANARY}@127.0.0.1:1/`, auth: { bearer: CANARY } };
      return { input: { source: web, target: web, [end]: wrong } };
    }),
  });

  const read = async (table: string) => sql(`SELECT * FROM ${table} ORDER BY id`);
  const sources = (): [string, JsonObject][] => [
    ['postgres', pg({ query: 'SELECT * FROM origin ORDER BY id;' })],
    ['bound', pg({ query: 'SELECT * FROM origin WHERE id < $1 ORDER BY id', params: [9] })],
    ['duckdb', { kind: 'duckdb', database: 'rows.duckdb', table: 'rows' }],
    ['file', { kind: 'file', path: 'rows.parquet' }],
    ['jsonl', { kind: 'file', path: 'rows.jsonl' }],
    ['s3', { ...s3, key: 'rows.parquet' }],
    ['s3_parts', { ...s3, key: 'rows/' }],
    ['http', { kind: 'http', url: `${base()}/rows`, rows_path: 'data.items', next_path: 'next' }],
  ];

  it('moves rows between any two ends', async () => {
    const source = pg({ query: 'SELECT * FROM origin ORDER BY id' });
    for (const target of [
      { kind: 'duckdb', database: 'rows.duckdb', table: 'rows' },
      { kind: 'file', path: 'rows.parquet' },
      { kind: 'file', path: 'rows.jsonl' },
      { ...s3, key: 'rows.parquet' },
      { ...s3, key: 'rows/' },
      { kind: 'http', url: `${base()}/sink` },
    ]) {
      const moved = await run({ source, target, chunk_size: 2 });
      expect(moved.error).toBeUndefined();
      expect(moved.result).toEqual({
        rows_transferred: 3,
        chunks_processed: 2,
      });
    }
    expect(posted.map(({ rows }) => rows.length)).toEqual([2, 1]);
    expect(posted[0]!.key).not.toBe(posted[1]!.key);
    expect(posted.flatMap(({ rows }) => rows).map(({ at: _, ...row }) => row)).toEqual(
      ROWS.map(({ at: _, ...row }) => row),
    );
    for (const [name, from] of sources()) {
      const outcome = await run({ source: from, target: pg({ table: `from_${name}` }) });
      expect(outcome, name).toMatchObject({ status: 'ok', result: { rows_transferred: 3 } });
      const rows = await read(`from_${name}`);
      // DuckDB gives every map in a column the keys of all of them.
      const all = name === 'jsonl' || name === 's3_parts' ? { x: null, y: null } : {};
      const bare = ({ at: _, tags, ...row }: JsonObject) => ({
        ...row,
        tags: tags && { ...all, ...(tags as JsonObject) },
      });
      expect(rows.map(bare), name).toEqual(ROWS.map(bare));
      expect(
        rows.map(({ at }) => (at === null ? null : Date.parse(String(at)))),
        name,
      ).toEqual(ROWS.map(({ at }) => (at === null ? null : Date.parse(at))));
    }
  });

  const paged = (name: string) => ({
    kind: 'http',
    url: `${base()}/of/${name}`,
    rows_path: 'd',
    next_path: 'next',
  });

  it('says which column of a later page has no place, and that pages repeat', async () => {
    const grown = await run({ source: paged('grown'), target: pg({ table: 'grown' }) });
    expect(grown.error).toMatchObject({ kind: 'schema', retryable: false });
    expect(grown.error?.message).toMatch(/page 3 has a column "email"/);
    const mapped = { source: paged('grown'), target: pg({ table: 'grown_2' }), mapping: { n: 'id' } };
    expect((await run(mapped)).result).toMatchObject({ rows_transferred: 3 });
    const same = await run({ source: paged('same'), target: pg({ table: 'same' }) });
    expect(same.error).toMatchObject({ kind: 'client_error', retryable: false });
    expect(same.error?.message).toMatch(/the page after page 2 was already read/);
  });

  it('requests each page with its own key', async () => {
    asked.length = 0;
    const source = { ...paged('late'), method: 'POST' };
    for (let n = 0; n < 2; n++) await run({ source, target: pg({ table: 'asked' }) }, 'x/asked');
    expect(new Set(asked).size).toBe(6);
  });

  it('treats text beside maps as JSON', async () => {
    await run({ source: paged('mixed'), target: pg({ table: 'mixed' }) });
    expect(await read('mixed')).toEqual([
      { id: 1, v: { a: 1 } },
      { id: 2, v: 'text' },
    ]);
  });

  it('moves nothing if there is nothing', async () => {
    await sql('CREATE TABLE some_rows (id int); INSERT INTO some_rows VALUES (7)');
    await ask(duckdb, {
      database: 'none.duckdb',
      command: 'CREATE TABLE some_rows (id int); INSERT INTO some_rows VALUES (7)',
    });
    const inDuckdb = { kind: 'duckdb', database: 'none.duckdb', table: 'some_rows' };
    const count = async (target: JsonObject) => {
      const command = 'SELECT count(*) AS n FROM some_rows';
      if (target.kind === 'postgres') return sql(command);
      return ask(duckdb, { database: 'none.duckdb', command });
    };
    const [source, nothing] = [paged('none'), { rows_transferred: 0, chunks_processed: 0 }];
    for (const target of [pg({ table: 'some_rows' }), inDuckdb] as JsonObject[]) {
      expect((await run({ source, target })).result).toEqual(nothing);
      expect((await run({ source, target: { ...target, table: 'not_there' } })).result).toEqual(nothing);
      expect((await run({ source: paged('void'), target })).result).toEqual(nothing);
      expect(await count(target)).toEqual([{ n: 1 }]);
      expect((await run({ source, target, mode: 'replace' })).result).toEqual(nothing);
      expect(await count(target)).toEqual([{ n: 0 }]);
      expect((await run({ source: paged('late'), target })).result).toMatchObject({ rows_transferred: 1 });
    }
    expect(await sql("SELECT to_regclass('not_there') AS t")).toEqual([{ t: null }]);
    const file = { source, target: { kind: 'file', path: 'none.csv' }, mode: 'replace' };
    expect((await run(file)).error?.message).toMatch(
      /has no rows, so Woof does not know the columns: write a "mapping"/,
    );
    expect((await run({ ...file, mapping: { id: 'id' } })).result).toEqual(nothing);
    expect(readFileSync(join(folder, 'none.csv'), 'utf8')).toBe('id\n');
  });

  it('appends, replaces and upserts', async () => {
    const source = pg({ query: 'SELECT id, name FROM origin ORDER BY id' });
    for (const target of [
      pg({ table: 'modes' }),
      { kind: 'duckdb', database: 'modes.duckdb', table: 'modes' },
      { kind: 'file', path: 'modes.csv' },
    ] as JsonObject[]) {
      const count = async (): Promise<Json> => {
        const query = 'SELECT count(*) AS n, count(DISTINCT id) AS d, max(name) AS m FROM';
        if (target.kind === 'postgres') return (await sql(`${query} modes`))[0]!;
        const from = target.kind === 'file' ? "'modes.csv'" : 'modes';
        const database = target.kind === 'file' ? {} : { database: 'modes.duckdb' };
        return (await ask(duckdb, { ...database, command: `${query} ${from}` }))[0]!;
      };
      for (const [mode, n] of [
        ['append', 3],
        ['append', 6],
        ['replace', 3],
      ] as const) {
        expect(await run({ source, target, mode })).toMatchObject({ status: 'ok' });
        expect(await count(), `${String(target.kind)} ${mode}`).toMatchObject({ n, d: 3 });
      }
    }
    const changed = pg({
      query: "SELECT 2 AS id, 'old' AS name UNION ALL SELECT 2, 'new' UNION ALL SELECT 9, 'nine'",
    });
    for (const target of [
      pg({ table: 'keyed' }),
      { kind: 'duckdb', database: 'keyed.duckdb', table: 'keyed' },
    ] as JsonObject[]) {
      for (const from of [source, changed, changed]) {
        expect(await run({ source: from, target, mode: 'upsert', key: 'id' })).toMatchObject({
          status: 'ok',
        });
      }
      const command = 'SELECT id, name FROM keyed ORDER BY id';
      const rows =
        target.kind === 'postgres'
          ? await sql(command)
          : await ask(duckdb, { database: 'keyed.duckdb', command });
      expect(rows).toEqual([
        { id: 1, name: 'a "b", c' },
        { id: 2, name: 'new' },
        { id: 3, name: null },
        { id: 9, name: 'nine' },
      ]);
    }
  });

  it('writes decimals into JSON lines without loss, as Python reads them', async () => {
    const { texts, values } = someDecimals(300);
    const rows = texts.map((text, at) => `(${at}, ${text})`);
    await sql(`CREATE TABLE decimals (id int, n numeric); INSERT INTO decimals VALUES ${rows.join(', ')}`);
    const file = { kind: 'file', path: 'decimals.jsonl' };
    const source = pg({ query: 'SELECT * FROM decimals ORDER BY id' });
    expect((await run({ source, target: file })).error).toBeUndefined();
    const lines = readFileSync(join(folder, 'decimals.jsonl'), 'utf8').trim().split('\n');
    const isLong = (text: string) => text.replace(/^[-0.]+|\./g, '').length > 15;
    expect(lines.map((line) => decodeJson<{ n: Json }>(line).n)).toEqual(
      values.map((value, at) => (isLong(texts[at]!) ? texts[at] : value)),
    );
  });

  it.each(['csv', 'jsonl', 'parquet'])(
    'keeps bytes, precise numbers and values that are not numbers in %s',
    async (format) => {
      const table = `fine_${format}`;
      const values =
        "VALUES (1, '\\x0061625c78'::bytea, 0.1234567891, 'NaN'::float8), (2, '\\x41', 1e-10, 1.5)";
      await sql(`CREATE TABLE ${table} (id int, b bytea, n numeric, f float8);
      CREATE TABLE ${table}_back (LIKE ${table}); INSERT INTO ${table} ${values}`);
      if (format !== 'parquet') {
        const more = "(3, NULL, 0.123456789012345, NULL), (4, '', 1e-12, 2), (5, NULL, 1.10, 3)";
        await sql(`INSERT INTO ${table} VALUES ${more}`);
      }
      const file = { kind: 'file', path: `fine.${format}` };
      const numbers = format === 'jsonl' ? "WHERE f IS DISTINCT FROM 'NaN'" : '';
      for (const [part, params] of [
        ['id = $1', [1]],
        ['id > 1', []],
      ] as const) {
        const query = `SELECT * FROM ${table} WHERE ${part} ORDER BY id`;
        const source = pg({ query, params: [...params] });
        expect((await run({ source, target: file })).error).toBeUndefined();
      }
      if (format === 'jsonl') {
        const lines = readFileSync(join(folder, 'fine.jsonl'), 'utf8').trim().split('\n');
        expect(lines.map((line) => (JSON.parse(line) as { f: Json }).f)).toEqual([null, 1.5, null, 2, 3]);
        const source = pg({ query: `SELECT * FROM ${table} ${numbers} ORDER BY id` });
        await run({ source, target: file, mode: 'replace' });
      }
      const back = await run({ source: file, target: pg({ table: `${table}_back` }) });
      expect(back.error).toBeUndefined();
      const left = await sql(`SELECT * FROM ${table} ${numbers} EXCEPT SELECT * FROM ${table}_back`);
      expect(left).toEqual([]);
    },
  );

  it('keeps every digit of existing values in files', async () => {
    const many = '12345678901234567890.5';
    for (const path of ['digits.csv', 'digits.jsonl']) {
      for (const n of [many, '5']) {
        const source = pg({ query: `SELECT ${n}::numeric AS n, '007' AS t` });
        expect((await run({ source, target: { kind: 'file', path } })).error).toBeUndefined();
      }
    }
    expect(readFileSync(join(folder, 'digits.csv'), 'utf8')).toBe(`n,t\n${many},007\n5,007\n`);
    expect(readFileSync(join(folder, 'digits.jsonl'), 'utf8')).toBe(
      `{"n":"${many}","t":"007"}\n{"n":5,"t":"007"}\n`,
    );
  });

  it.each([
    ['0.123456789012345::numeric', 'fine.parquet', /0\.123456789012345 has more than 10 decimals/],
    ["'0044-03-15 BC'::date", 'bc.csv', /0044-03-15 BC/],
  ])('refuses %s in %s', async (value, path, why) => {
    const { error } = await run({
      source: pg({ query: `SELECT ${value} AS n` }),
      target: { kind: 'file', path },
      mode: 'replace',
    });
    expect(error).toMatchObject({ retryable: false });
    expect(error?.message).toMatch(why);
  });

  it('gives a DuckDB table as many decimals as it has', async () => {
    const make = 'CREATE TABLE finer (n DECIMAL(38, 20), k DECIMAL(38, 10))';
    await ask(duckdb, { database: 'finer.duckdb', command: make });
    const source = pg({ query: 'SELECT 0.123456789012345 AS n, 1.50 AS k UNION ALL SELECT 1, 1.5' });
    const target = { kind: 'duckdb', database: 'finer.duckdb', table: 'finer' };
    expect((await run({ source, target })).error).toBeUndefined();
    const command = "SELECT count(*) AS n FROM finer WHERE n = '0.123456789012345'::DECIMAL(38, 20)";
    expect(await ask(duckdb, { database: 'finer.duckdb', command })).toEqual([{ n: 1 }]);
    const keyed = {
      source,
      target: { ...target, table: 'keys' },
      mapping: { k: 'k' },
      mode: 'upsert',
      key: 'k',
    };
    expect((await run(keyed)).error).toBeUndefined();
  });

  it.each([[[]], [[1]]])('creates a Postgres table with the types of another, params %j', async (params) => {
    const table = `typed_${params.length}`;
    await sql(`CREATE TYPE mood_${params.length} AS ENUM ('ok');
      CREATE TABLE ${table} (a int[], b text[], c smallint, d int, e real, f varchar(5), g char(3), h interval, i inet,
        j json, k numeric(10, 2), l int4range, m money, n regclass, o mood_${params.length}, p bytea, q bool, r bit(3),
        s timestamptz, t float8);
      INSERT INTO ${table} VALUES ('{1,NULL}', '{"a,b",NULL,"c\\"d"}', 1, 2, 1.1, 'abc', 'ab', '1 mon 2 days', '10.0.0.1/8',
        '{"a": 1}', 1.10, '[1,5)', 12, 'origin', 'ok', '\\x00ff', true, B'101', '2020-01-01 00:00:00.123456+00', 'NaN')`);
    const query = `SELECT * FROM ${table}${params.length > 0 ? ' WHERE $1 = 1' : ''}`;
    const moved = await run({ source: pg({ query, params }), target: pg({ table: `${table}_copy` }) });
    expect(moved.error).toBeUndefined();
    const types = await sql(`SELECT string_agg(udt_name, ' ' ORDER BY ordinal_position) AS t
      FROM information_schema.columns WHERE table_name = '${table}_copy'`);
    const others = 'interval inet json numeric int4range text text text bytea bool bit timestamptz float8';
    expect(types).toEqual([{ t: `_int4 _text int2 int4 float4 varchar bpchar ${others}` }]);
    const same = await sql(`SELECT count(*) AS n FROM ${table} x, ${table}_copy y WHERE
      (x.a, x.b, x.c, x.d, x.e, x.f, x.g, x.h, x.i, x.j::text, x.k, x.l, x.p, x.q, x.r, x.s, x.t) =
      (y.a, y.b, y.c, y.d, y.e, y.f, y.g, y.h, y.i, y.j::text, y.k, y.l, y.p, y.q, y.r, y.s, y.t)`);
    expect(same).toEqual([{ n: 1 }]);
  });

  it('maps columns', async () => {
    const mapping = { number: 'id', title: 'name' };
    for (const [name, from] of sources().filter(([each]) => each !== 'bound')) {
      await run({ source: from, target: pg({ table: `mapped_${name}` }), mapping });
      expect(await sql(`SELECT * FROM mapped_${name} WHERE number = 1`), name).toEqual([
        { number: 1, title: 'a "b", c' },
      ]);
    }
    await run({ source: pg({ table: 'origin' }), target: pg({ table: 'mapped_there', mapping }) });
    expect(await sql('SELECT * FROM mapped_there WHERE number = 1')).toEqual([
      { number: 1, title: 'a "b", c' },
    ]);
  });

  it.each(['postgres', 'duckdb'])(
    'continues after the last chunk in %s, and does nothing twice',
    async (kind) => {
      // Row 25 does not fit until the table is changed. By then, chunks 1 and 2 have been written.
      const table = `resumed_${kind}`;
      const target = kind === 'postgres' ? pg({ table }) : { kind, database: 'resumed.duckdb', table };
      const query = (bad: string) =>
        `SELECT n AS id, CASE WHEN n = 25 THEN ${bad} ELSE n END AS v FROM generate_series(1, 40) n ORDER BY n`;
      const make = `CREATE TABLE ${table} (id int, v int CHECK (v < 1000))`;
      if (kind === 'postgres') await sql(make);
      else await ask(duckdb, { database: 'resumed.duckdb', command: make });
      const failed = await run({ source: pg({ query: query('5000') }), target, chunk_size: 10 }, 'x/resumed');
      expect(failed).toMatchObject({ status: 'error', error: { kind: 'db_constraint', retryable: false } });
      const input = { source: pg({ query: query('7') }), target, chunk_size: 10 };
      expect((await run(input, 'x/resumed')).result).toEqual({
        rows_transferred: 40,
        chunks_processed: 4,
        resumed_after_chunk: 2,
      });
      // The outcome was lost, but the transfer is known to be done.
      expect((await run(input, 'x/resumed')).result).toMatchObject({ rows_transferred: 40 });
      const command = `SELECT count(*) AS n, sum(id) AS s FROM ${table}`;
      const rows =
        kind === 'postgres' ? await sql(command) : await ask(duckdb, { database: 'resumed.duckdb', command });
      expect(rows).toEqual([{ n: 40, s: 820 }]);
    },
  );

  it('continues after the last object of a bucket, and writes one object as a whole', async () => {
    const query = (bad: string) =>
      `SELECT CASE WHEN n = 35000 THEN ${bad} ELSE n END AS id FROM generate_series(1, 40000) n`;
    const input = (bad: string, key: string) => ({
      source: pg({ query: query(bad) }),
      target: { ...s3, key },
      chunk_size: 10000,
    });
    for (const key of ['resumed/', 'whole.csv']) {
      expect(await run(input('1/(n-35000)', key), 'x/s3')).toMatchObject({ status: 'error' });
    }
    expect((await run(input('n', 'resumed/'), 'x/s3')).result).toMatchObject({
      rows_transferred: 40000,
      chunks_processed: 4,
      resumed_after_chunk: expect.any(Number),
    });
    expect((await run(input('n', 'resumed/'), 'x/s3')).result).toMatchObject({ rows_transferred: 40000 });
    // Nothing was there: appended once, then again.
    for (const n of [1, 2]) {
      const outcome = await run(input('n', 'whole.csv'), `x/s3-${n}`);
      expect(outcome.error).toBeUndefined();
    }
    for (const [key, n] of [
      ['resumed/', 40000],
      ['whole.csv', 80000],
    ] as const) {
      const table = `from_${key.replace(/\W/g, '_')}`;
      await run({ source: { ...s3, key }, target: pg({ table }) });
      expect(await sql(`SELECT count(*) AS n, count(DISTINCT id) AS d FROM ${table}`)).toEqual([
        { n, d: 40000 },
      ]);
    }
    for (const key of ['resumed/', 'whole.csv']) {
      const { error } = await run({
        source: { ...s3, key, max_bytes: 100_000 },
        target: pg({ table: 'never' }),
      });
      expect(error).toMatchObject({ kind: 'storage', retryable: false });
      expect(error?.message).toMatch(/larger than 100000 bytes; raise "max_bytes"/);
    }
  });

  it.each([
    [{ key: 'absent.csv' }, 'not_found'],
    [{ key: 'absent/' }, 'not_found'],
    [{ key: 'a.csv', endpoint: 'http://127.0.0.1:1' }, 'connection'],
    [{ key: 'a.csv', auth: { access_key_id: 'x', secret_access_key: 'y' } }, 'auth'],
    [{}, 'schema'],
    [{ key: 'a.xls' }, 'schema'],
  ])('explains the error of the bucket %j', async (more, kind) => {
    const { error } = await run({ source: { ...s3, ...more }, target: pg({ table: 'never' }) });
    expect(error).toMatchObject({ kind });
  });

  it('duplicates nothing if two attempts write at once', async () => {
    const source = pg({ query: 'SELECT n AS id FROM generate_series(1, 4000) n ORDER BY n' });
    const input = { source, target: pg({ table: 'contested' }), chunk_size: 200 };
    const outcomes = await Promise.all([1, 2, 3].map(() => run(input, 'x/contested')));
    for (const { error } of outcomes) {
      if (error) expect(error).toMatchObject({ kind: 'db_deadlock', retryable: true });
    }
    expect((await run(input, 'x/contested')).result).toMatchObject({ rows_transferred: 4000 });
    expect(await sql('SELECT count(*) AS n, count(DISTINCT id) AS d FROM contested')).toEqual([
      { n: 4000, d: 4000 },
    ]);
  });

  it('replaces all or nothing', async () => {
    await sql('CREATE TABLE whole (id int CHECK (id < 30)); INSERT INTO whole VALUES (7)');
    writeFileSync(join(folder, 'whole.csv'), 'id\n7\n');
    const source = pg({
      query: 'SELECT CASE WHEN n = 35 THEN 1/(n-35) ELSE n END AS id FROM generate_series(1, 40) n',
    });
    for (const target of [pg({ table: 'whole' }), { kind: 'file', path: 'whole.csv' }] as JsonObject[]) {
      const outcome = await run({ source, target, mode: 'replace', chunk_size: 10 });
      expect(outcome).toMatchObject({ status: 'error' });
    }
    expect(await sql('SELECT * FROM whole')).toEqual([{ id: 7 }]);
    expect(readFileSync(join(folder, 'whole.csv'), 'utf8')).toBe('id\n7\n');
  });

  it('says which end is at fault, and stops when told to', async () => {
    const good = pg({ query: 'SELECT 1 AS id' });
    const wrong = { kind: 'postgres', host: '127.0.0.1', port: 1, user: 'u', password: 's3cret' };
    const outcomes = [
      await run({ source: { ...wrong, query: 'SELECT 1' }, target: pg({ table: 'never' }) }),
      await run({ source: good, target: { ...wrong, table: 'never' } }),
    ];
    for (const { error } of outcomes) expect(error).toMatchObject({ kind: 'db_connection', retryable: true });
    expect(JSON.stringify(outcomes)).not.toContain('s3cret');
    expect(
      (await run({ source: pg({ query: 'SELECT nope' }), target: pg({ table: 'never' }) })).error,
    ).toMatchObject({
      kind: 'client_error',
      pg_code: '42703',
    });
    expect(
      (await run({ source: { kind: 'file', path: 'absent.csv' }, target: pg({ table: 'never' }) })).error,
    ).toMatchObject({
      kind: 'not_found',
    });
    expect((await run({ source: good, target: { kind: 'file', path: '../out.csv' } })).error).toMatchObject({
      kind: 'schema',
    });
    const controller = new AbortController();
    const slow = pg({ query: 'SELECT n AS id, pg_sleep(0.01)::text AS s FROM generate_series(1, 100000) n' });
    const stopped = run({ source: slow, target: pg({ table: 'never' }) }, 'x/slow', {
      signal: controller.signal,
    });
    setTimeout(() => controller.abort(), 300);
    expect((await stopped).error).toMatchObject({ kind: 'cancelled' });
    const late = await run({ source: slow, target: pg({ table: 'never' }), timeout: 0.3 });
    expect(late.error).toMatchObject({ kind: 'timeout', retryable: true });
  });
});
