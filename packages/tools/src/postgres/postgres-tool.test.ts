import { createServer, type Server, type Socket } from 'node:net';
import {
  decodeJson,
  encodeJson,
  Float,
  type Json,
  type JsonObject,
  makeFloat,
  makeInt,
  type Outcome,
} from '@woof/net';
import { describeUnless, type PostgresServer, postgresReason, startPostgres } from '@woof/testkit';
import { someDecimals } from '@woof/testkit/decimals';
import { exactValue } from '@woof/testkit/exact-values';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARY, exerciseTool, MemoryBlobs, toolCall, toolContext } from '../exercise-tool.ts';
import { createPostgresTool } from './postgres-tool.ts';

describeUnless(postgresReason())('postgres', () => {
  let server: PostgresServer;
  const tool = createPostgresTool();
  const auth = () => {
    const { hostname, port, username, password } = new URL(server.url());
    return { host: hostname, port: Number(port), user: username, password, database: 'postgres' };
  };
  const run = (input: JsonObject, context = {}) =>
    tool.run(toolCall({ input: { auth: auth(), ...input } }), toolContext(context)) as Promise<Outcome>;
  const rowsOf = async (command: string, params?: Json) => {
    const outcome = await run({ command, ...(params === undefined ? {} : { params }) });
    expect(outcome.error).toBeUndefined();
    return (outcome.result as { rows: JsonObject[] }).rows;
  };
  const givenArgs = async (command: string, args: JsonObject, more: JsonObject = {}) => {
    const call = toolCall({ input: { auth: auth(), command, ...more }, stepArgs: () => args });
    const { result, error } = (await tool.run(call, toolContext())) as Outcome;
    return error?.message ?? (result as { rows: JsonObject[] }).rows[0];
  };
  const copied = async (command: string, data: Json) => {
    expect((await run({ command, data })).error).toBeUndefined();
  };

  beforeAll(async () => {
    server = await startPostgres();
    // The calls of the contract below are defined before the server has its port.
    Object.assign(contract, auth());
  });
  afterAll(async () => {
    await tool.close?.();
    await server.dispose();
  });

  const contract: JsonObject = {};
  exerciseTool('postgres', {
    make: createPostgresTool,
    good: [{ input: { auth: contract, command: 'SELECT 1 AS one' } }],
    bad: [
      [{ input: { auth: contract } }, /"command" is missing/],
      [{ input: { auth: contract, command: '-- nothing' } }, /"command" contains no statement/],
      [{ input: { auth: contract, command: 5 } }, /"command" must be SQL/],
      [{ input: { command: 'SELECT 1' } }, /"auth" is missing.*keychain/],
      [{ input: { auth: 'pg_local', command: 'SELECT 1' } }, /"auth" must be a map.*keychain/],
      [{ input: { auth: contract, port: 70000, command: 'SELECT 1' } }, /"port".*70000/],
      [{ input: { auth: contract, command: 'SELECT $2', params: [1] } }, /"params" has 1 values.*\$2/],
      [
        { input: { auth: contract, command: 'SELECT :b', params: { a: 1 } } },
        /"params" has no "b".*it has a/,
      ],
      [{ input: { auth: contract, command: 'SELECT 1\0' } }, /NUL byte/],
      [{ input: { auth: contract, command: 'BEGIN; SELECT 1' } }, /line 1.*COMMIT/],
      [{ input: { auth: contract, command: 'COPY pg_class FROM STDIN' } }, /"data" is missing/],
    ],
    secret: [
      { input: { host: '127.0.0.1', port: 1, user: 'u', password: CANARY, command: 'SELECT 1' } },
      { input: { url: `postgres://u:${CANARY}@127.0.0.1:1/x`, command: 'SELECT 1' } },
      { input: { auth: { host: '127.0.0.1', port: 'x', password: CANARY }, command: 'SELECT 1' } },
      { input: { auth: `pg://u:${CANARY}@h`, command: 'SELECT 1' } },
      { input: { auth: contract, password: CANARY, command: 'SELECT 1' } },
      { input: { auth: contract, params: [CANARY], command: 'SELECT nope, $1' } },
    ],
    large: [{ input: { auth: contract, command: "SELECT repeat('x', 10000)", max_bytes: 100 } }],
    slow: { input: { auth: contract, command: 'SELECT pg_sleep(60)' } },
  });

  it('binds the args of the step by name; those of the task take precedence', async () => {
    expect(await givenArgs('SELECT :a AS a, %(b)s AS b', { a: 'x', b: 'y' })).toEqual({ a: 'x', b: 'y' });
    expect(await givenArgs('SELECT :a AS a, :b AS b', { a: 'x', b: 'y' }, { params: { b: 'z' } })).toEqual({
      a: 'x',
      b: 'z',
    });
    expect(await givenArgs("SELECT $1 AS a, ':a' AS b", { a: 'x' }, { params: ['p'] })).toEqual({
      a: 'p',
      b: ':a',
    });
    expect(await givenArgs('SELECT :b', { a: 'x' }, { params: {} })).toMatch(/"params" has no "b".*it has a/);
  });

  it('returns rows, their count, columns and the number of statements', async () => {
    const command =
      'CREATE TABLE a (n int, t text); INSERT INTO a VALUES (1, $1), (2, $2); SELECT * FROM a ORDER BY n';
    expect((await run({ command, params: ['x', null] })).result).toEqual({
      rows: [
        { n: 1, t: 'x' },
        { n: 2, t: null },
      ],
      row_count: 2,
      columns: ['n', 't'],
      statement_count: 3,
    });
    expect((await run({ command: 'UPDATE a SET n = n + 1' })).result).toMatchObject({
      rows: [],
      row_count: 2,
    });
    expect((await run({ query: 'SELECT * FROM a WHERE n > 9' })).result).toMatchObject({
      rows: [],
      row_count: 0,
      columns: ['n', 't'],
    });
    expect((await run({ commands: ['SELECT 1 AS a', 'SELECT 2 AS b'] })).result).toMatchObject({
      rows: [{ b: 2 }],
      statement_count: 2,
    });
  });

  it('gives columns of the same name distinct names', async () => {
    expect((await run({ command: 'SELECT 1 AS a, 2 AS a, 3 AS a, 4 AS a_2, 5 AS b' })).result).toMatchObject({
      rows: [{ a: 1, a_3: 2, a_4: 3, a_2: 4, b: 5 }],
      columns: ['a', 'a_3', 'a_4', 'a_2', 'b'],
    });
    const joined = 'SELECT * FROM (SELECT 1 AS id) x JOIN (SELECT 1 AS id) y USING (id), (SELECT 2 AS id) z';
    expect((await run({ command: joined })).result).toMatchObject({
      rows: [{ id: 1, id_2: 2 }],
      columns: ['id', 'id_2'],
    });
  });

  it.each([
    ['9007199254740991::int8', 9007199254740991],
    ['9007199254740993::int8', 9007199254740993n],
    ['12345678901234567890::numeric', 12345678901234567890n],
    ['12.00::numeric', new Float(12)],
    ['2::float8', new Float(2)],
    ['ARRAY[1, 2.5]::float8[]', [new Float(1), 2.5]],
    ['12.50::numeric', 12.5],
    ['0.1234567890123456789::numeric', '0.1234567890123456789'],
    ['(SELECT avg(n) FROM (VALUES (1), (3)) t(n))', new Float(2)],
    ['(SELECT avg(n) FROM (VALUES (1), (2), (2)) t(n))', 1.6666666666666667],
    ['1::numeric / 3', '0.33333333333333333333'],
    ['1.5e-400::numeric', `0.${'0'.repeat(399)}15`],
    ['1e400::numeric + 0.5', `1${'0'.repeat(400)}.5`],
    ['-0.0::numeric', new Float(0)],
    ["'NaN'::numeric", null],
    ["'-Infinity'::float8", null],
    ["ARRAY['inf', 1]::float4[]", [null, new Float(1)]],
    ["'[1e400]'::json", [null]],
    ['1.5::float8', 1.5],
    ['true', true],
    ["'2024-02-29'::date", '2024-02-29'],
    ["'2024-02-29 10:11:12.123456'::timestamp", '2024-02-29T10:11:12.123456'],
    ["('2024-02-29 10:11:12+02'::timestamptz AT TIME ZONE 'UTC')", '2024-02-29T08:11:12'],
    ["'infinity'::timestamptz", 'infinity'],
    [`'{"a": [1, 1.0, null]}'::jsonb`, { a: [1, new Float(1), null] }],
    ["'\\xdeadbeef'::bytea", '\\xdeadbeef'],
    ['ARRAY[1, NULL, 3]', [1, null, 3]],
    [
      `ARRAY[['a "b"', 'c,d'], ['{e}', '\\']]`,
      [
        ['a "b"', 'c,d'],
        ['{e}', '\\'],
      ],
    ],
    [`ARRAY['{"a": 1}'::jsonb]`, [{ a: 1 }]],
    ["'{}'::text[]", []],
    ["'[2:3]={7,8}'::int[]", [7, 8]],
    ['NULL::text', null],
    ["'5 days'::interval", '5 days'],
    ["'(1,2)'::point", '(1,2)'],
  ] as [string, Json][])('returns %s unchanged', async (sql, expected) => {
    expect(await rowsOf(`SELECT ${sql} AS v`)).toEqual([{ v: expected }]);
  });

  it('returns decimals as Python reads them, and accepts them back without loss', async () => {
    const { texts, values } = someDecimals(1000);
    const [given] = await rowsOf('SELECT $1::text[]::numeric[] AS n', [texts]);
    expect(given).toEqual({ n: values });
    const equal =
      'SELECT bool_and(a = b) AS ok, count(*) AS n FROM unnest($1::numeric[], $2::numeric[]) t(a, b)';
    expect(await rowsOf(equal, [values, texts])).toEqual([{ ok: true, n: 1000 }]);
  });

  it('binds any value, and returns it', async () => {
    await rowsOf('CREATE TABLE b (t text, j json, n numeric, f float8, l int8, a text[], i int[], o bool)');
    const text = fc.string({ unit: 'grapheme' }).map((each) => each.replaceAll('\0', ''));
    const json = exactValue.filter((value) => value !== null && typeof value !== 'string');
    const int8 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(makeInt);
    const float = fc.double({ noNaN: true, noDefaultInfinity: true }).map(makeFloat);
    const values = fc.tuple(
      text,
      json,
      fc.bigInt().map(makeInt),
      float,
      int8,
      fc.array(fc.option(text)),
      fc.array(fc.integer()),
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(values, async (row) => {
        const wanted = decodeJson<Json[]>(encodeJson(row).replaceAll('\\u0000', ''));
        const sql = 'INSERT INTO b VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *';
        expect(Object.values((await rowsOf(sql, wanted))[0]!)).toEqual(wanted);
      }),
      { numRuns: 60 },
    );
  });

  it('accepts a float without a fraction as an int', async () => {
    expect(await rowsOf('SELECT $1::int8 AS a, $2::int[] AS b', [new Float(3), [new Float(4)]])).toEqual([
      { a: 3, b: [4] },
    ]);
  });

  it('binds by name and never splices', async () => {
    const evil = "'; DROP TABLE a; --";
    const sql =
      "SELECT :x::text AS x, %(x)s AS y, ':x' AS z, '2024-01-01'::date AS d, (ARRAY[1,2,3])[1:2] AS s";
    expect(await rowsOf(sql, { x: evil })).toEqual([
      { x: evil, y: evil, z: ':x', d: '2024-01-01', s: [1, 2] },
    ]);
    expect(await rowsOf('SELECT %s::text AS a, %s::int % 4 AS b', [evil, 7])).toEqual([{ a: evil, b: 3 }]);
    expect((await rowsOf("SELECT to_regclass('a')::text AS a"))[0]).toEqual({ a: 'a' });
  });

  it('runs several statements as a transaction, unless told otherwise', async () => {
    await rowsOf('CREATE TABLE c (n int PRIMARY KEY)');
    const twice = 'INSERT INTO c VALUES (1); INSERT INTO c VALUES (1)';
    const outcome = await run({ command: twice });
    expect(outcome).toMatchObject({
      error: { kind: 'db_constraint', retryable: false, pg_code: '23505' },
      pg: { code: '23505', sqlstate: '23505', constraint: 'c_pkey', table: 'c' },
    });
    expect(outcome.error?.message).toMatch(/statement 2 of 2, line 1/);
    expect(await rowsOf('SELECT * FROM c')).toEqual([]);
    await run({ command: twice, transaction: false });
    expect(await rowsOf('SELECT * FROM c')).toEqual([{ n: 1 }]);
    await rowsOf('BEGIN; DELETE FROM c; ROLLBACK');
    expect(await rowsOf('SELECT * FROM c')).toEqual([{ n: 1 }]);
    expect((await run({ command: 'VACUUM c; SELECT 1' })).status).toBe('ok');
  });

  it('leaves nothing of a task in the session', async () => {
    await rowsOf('SET search_path TO nowhere; CREATE TEMP TABLE mine (n int)');
    expect(await rowsOf('SHOW search_path')).toEqual([{ search_path: '"$user", public' }]);
    expect((await run({ command: 'SELECT * FROM mine' })).pg).toMatchObject({ sqlstate: '42P01' });
  });

  it.each([
    ["SELECT set_config('my.thing', 'set', false)"],
    ['SELECT * FROM sly'],
    ['SELECT pg_advisory_lock(4242)'],
    ['SELECT 1 AS n INTO TEMP mine'],
    ['BEGIN; INSERT INTO kept VALUES (1); COMMIT AND CHAIN; LOCK kept'],
  ])('leaves nothing of %s in the session', async (command) => {
    await rowsOf(
      "CREATE TABLE kept (n int); CREATE OR REPLACE VIEW sly AS SELECT set_config('my.thing', 'set', false)",
    );
    await rowsOf(command);
    expect(
      await rowsOf(
        `SELECT current_setting('my.thing', true) AS s, to_regclass('mine')::text AS t,
           (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS l`,
      ),
    ).toEqual([{ s: expect.toBeOneOf([null, '']) as unknown, t: null, l: 0 }]);
    await rowsOf('DROP TABLE kept');
  });

  it('copies in and out', async () => {
    await rowsOf('CREATE TABLE d (n int, t text)');
    const blobs = new MemoryBlobs();
    const reference = await blobs.put(bytes('5\tfive\n'), { hint: null });
    for (const [data, count] of [
      ['1\tone\n2\ttwo\n', 2],
      [[[3, 'a\tb\n\\'], { n: 4, t: null }], 2],
      [reference, 1],
    ] as [Json, number][]) {
      const outcome = await run({ command: 'COPY d FROM STDIN', data }, { blobs });
      expect(outcome.result).toMatchObject({ row_count: count, statement_count: 1 });
    }
    expect(await rowsOf('SELECT t FROM d WHERE n > 2 ORDER BY n')).toEqual([
      { t: 'a\tb\n\\' },
      { t: null },
      { t: 'five' },
    ]);
    const out = await run({
      command: 'COPY (SELECT * FROM d WHERE n < 3 ORDER BY n) TO STDOUT (FORMAT csv)',
    });
    expect(out.result).toMatchObject({ data: '1,one\n2,two\n', row_count: 2 });
    const refused = await run({ command: 'COPY d FROM STDIN', data: 'x\ty\n' });
    expect(refused).toMatchObject({ error: { kind: 'client_error' }, pg: { sqlstate: '22P02' } });
    expect(await rowsOf('SELECT count(*) AS n FROM d')).toEqual([{ n: 5 }]);
  });

  it('copies the rows of a stored list, and a stored text, as it copies small ones', async () => {
    await rowsOf('CREATE TABLE f (n int, t text)');
    const blobs = new MemoryBlobs();
    const large = await run(
      { command: "SELECT repeat('x', 1000) AS t, n FROM generate_series(1, 20000) n" },
      { blobs },
    );
    const { rows } = large.result as { rows: JsonObject };
    expect(rows).toMatchObject({ store: 'memory' });
    const pairs = await blobs.put(bytes('[[0, "a\\tb"], [-1, null]]'), { hint: { type: 'list', length: 2 } });
    const text = await blobs.put(bytes('"-2\\tlast\\n"'), { hint: { type: 'string' } });
    const command = 'COPY f FROM STDIN';
    for (const [data, count] of [
      [rows, 20000],
      [pairs, 2],
      [text, 1],
    ] as [Json, number][]) {
      expect(await run({ command, data }, { blobs })).toMatchObject({ result: { row_count: count } });
    }
    expect(await rowsOf('SELECT n, t FROM f WHERE n < 1 ORDER BY n')).toEqual([
      { n: -2, t: 'last' },
      { n: -1, t: null },
      { n: 0, t: 'a\tb' },
    ]);
    expect(await rowsOf('SELECT sum(n) AS n, max(length(t)) AS t FROM f WHERE n > 0')).toEqual([
      { n: 200010000, t: 1000 },
    ]);
    const map = await blobs.put(bytes('{"n": 1, "t": "x"}'), { hint: { content_type: 'application/json' } });
    const refused = await run({ command, data: map }, { blobs });
    expect(refused.error).toMatchObject({
      kind: 'schema',
      message: expect.stringMatching(/"data".*list of rows/),
    });
  });

  it('copies maps by column names', async () => {
    await rowsOf(
      'CREATE TABLE g ("First name" text, last_name text, tags text[], about jsonb, size int GENERATED ALWAYS AS (1) STORED)',
    );
    const ada = { about: [1], last_name: 'Lovelace', tags: ['a,b', null], 'First name': 'Ada' };
    await copied('COPY g FROM STDIN', [ada, { ...ada, last_name: null }]);
    await copied('copy public.g (Last_Name, "First name") from stdin with (FORMAT text)', [
      { 'First name': 'Bob', last_name: 'Dylan' },
      { last_name: 'Prince' },
      ['Cher', null],
    ]);
    expect(await rowsOf('SELECT "First name", last_name, tags, about FROM g')).toEqual([
      ada,
      { ...ada, last_name: null },
      { 'First name': 'Bob', last_name: 'Dylan', tags: null, about: null },
      { 'First name': null, last_name: 'Prince', tags: null, about: null },
      { 'First name': null, last_name: 'Cher', tags: null, about: null },
    ]);
  });

  it.each([
    ['COPY h FROM STDIN', [{ a: 1, b: 2 }, { a: 1 }], /row 2 has no "b".*COPY table \(columns\)/],
    ['COPY h (a, b) FROM STDIN', [{ a: 1, lost: 2 }], /row 1 has "lost".*a, b/],
    ['COPY h FROM STDIN (FORMAT csv, HEADER)', [[1, 2]], /"csv"/],
    ["COPY h FROM STDIN DELIMITER ','", [[1, 2]], /"DELIMITER"/],
    ['COPY h /* all */ FROM STDIN', [[1, 2]], /COPY table \(columns\) FROM STDIN/],
    ['COPY h FROM STDIN', [[1, 2], 3], /row 2 must be a list or a map/],
  ] as [string, Json, RegExp][])('refuses for %s the rows %j', async (command, data, message) => {
    await rowsOf('CREATE TABLE IF NOT EXISTS h (a int, b int)');
    const { error } = await run({ command, data });
    expect(error).toMatchObject({ kind: 'schema', message: expect.stringMatching(message) });
    expect(await rowsOf('SELECT * FROM h')).toEqual([]);
  });

  it('streams a large result to a reference, up to its limit', async () => {
    const blobs = new MemoryBlobs();
    const command = "SELECT n, repeat('x', 1000) AS t FROM generate_series(1, 20000) n";
    const { result } = (await run({ command }, { blobs })) as { result: JsonObject };
    expect(result).toMatchObject({
      row_count: 20000,
      rows: { store: 'memory', schema_hint: { length: 20000 } },
    });
    let text = '';
    for await (const chunk of blobs.get(result.rows as JsonObject)) text += Buffer.from(chunk).toString();
    const rows = JSON.parse(text) as { n: number }[];
    expect([rows.length, rows[0]!.n, rows.at(-1)!.n]).toEqual([20000, 1, 20000]);
    const limited = await run({ command, max_bytes: 1000 });
    expect(limited.error).toMatchObject({ kind: 'storage', message: expect.stringContaining('max_bytes') });
  });

  it.each([
    ['SELECT\n  nme FROM pg_class', { kind: 'client_error', pg_code: '42703' }, /line 2/],
    ['SELECT 1/0', { kind: 'client_error', pg_code: '22012' }, /division by zero/],
    ['SELECT * FROM no_such_table', { kind: 'client_error', pg_code: '42P01' }, /no_such_table/],
    ["DO $$ BEGIN RAISE EXCEPTION 'mine'; END $$", { kind: 'exception', pg_code: 'P0001' }, /mine/],
    [
      "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40001'; END $$",
      { kind: 'db_deadlock', retryable: true },
      /x/,
    ],
    [
      'SET statement_timeout = 50; SELECT pg_sleep(5)',
      { kind: 'db_timeout', retryable: true },
      /statement timeout/,
    ],
  ])('explains the error in %s', async (command, error, message) => {
    const outcome = await run({ command });
    expect(outcome).toMatchObject({ status: 'error', error });
    expect(outcome.error?.message).toMatch(message);
  });

  it('says that the execution id is not a number', async () => {
    const call = toolCall({
      executionId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      input: { auth: auth(), command: 'SELECT $1::bigint', params: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] },
    });
    const outcome = (await tool.run(call, toolContext())) as Outcome;
    expect(outcome.error?.message).toMatch(/declare the column as text/);
  });

  it('reports a deadlock as retryable', async () => {
    await rowsOf('CREATE TABLE e (n int PRIMARY KEY, v int); INSERT INTO e VALUES (1, 0), (2, 0)');
    const lock = (a: number, b: number) =>
      run({
        command: `UPDATE e SET v = 1 WHERE n = ${a}; SELECT pg_sleep(0.5); UPDATE e SET v = 1 WHERE n = ${b}`,
      });
    const outcomes = await Promise.all([lock(1, 2), lock(2, 1)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['error', 'ok']);
    expect(outcomes.find(({ error }) => error)?.error).toMatchObject({
      kind: 'db_deadlock',
      retryable: true,
    });
  });

  it('cancels the query on the server when it is stopped or times out', async () => {
    const running = () =>
      rowsOf(
        "SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE '%pg_sleep(61)%' AND pid <> pg_backend_pid() AND state = 'active'",
      );
    const late = await run({ command: 'SELECT pg_sleep(61)', timeout: 0.3 });
    expect(late.error).toMatchObject({ kind: 'db_timeout', retryable: true });
    const controller = new AbortController();
    const stopped = run({ command: 'SELECT pg_sleep(61)' }, { signal: controller.signal });
    while ((await running())[0]!.n !== 1);
    controller.abort();
    expect((await stopped).error).toMatchObject({ kind: 'cancelled' });
    while ((await running())[0]!.n !== 0);
  });

  it('explains connection problems, and shows no password', async () => {
    const command = 'SELECT 1';
    const wrong = await run({ command, auth: { ...auth(), password: 's3cret!' } });
    expect(wrong).toMatchObject({ error: { kind: 'auth', retryable: false }, pg: { sqlstate: '28P01' } });
    const absent = await run({ command, auth: { ...auth(), database: 'nowhere' } });
    expect(absent.error).toMatchObject({ kind: 'not_found', retryable: false, pg_code: '3D000' });
    const refused = await run({ command, auth: 'postgres://u:s3cret!@127.0.0.1:1/x' });
    expect(refused.error).toMatchObject({ kind: 'db_connection', retryable: true, code: 'ECONNREFUSED' });
    const plain = await run({ command, auth: { ...auth(), sslmode: 'require', password: 's3cret!' } });
    expect(plain.error).toMatchObject({ kind: 'connection', retryable: false });
    expect(JSON.stringify([wrong, absent, refused, plain])).not.toContain('s3cret');
  });

  it('recovers when the server ends its connections', async () => {
    await rowsOf('SELECT 1');
    await server.stop('immediate');
    expect((await run({ command: 'SELECT 1' })).error).toMatchObject({
      kind: 'db_connection',
      retryable: true,
    });
    await server.start();
    expect(await rowsOf('SELECT 1 AS n')).toEqual([{ n: 1 }]);
    const broken = run({ command: 'SELECT pg_terminate_backend(pg_backend_pid()); SELECT 1' });
    expect((await broken).error).toMatchObject({ kind: 'db_connection', retryable: true });
  });
});

describe('a server that is not Postgres', () => {
  let server: Server;
  const sockets: Socket[] = [];
  const tool = createPostgresTool();
  const port = () => (server.address() as { port: number }).port;
  beforeAll(
    () =>
      new Promise<void>((resolve) => {
        server = createServer((socket) => {
          sockets.push(socket);
          socket.on('error', () => {});
        }).listen(0, '127.0.0.1', resolve);
      }),
  );
  afterAll(async () => {
    await tool.close?.();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const ask = (more: JsonObject) => {
    const input = {
      host: '127.0.0.1',
      port: port(),
      user: 'u',
      sslmode: 'disable',
      command: 'SELECT 1',
      ...more,
    };
    return tool.run(toolCall({ input }), toolContext()) as Promise<Outcome>;
  };

  it('is abandoned when it hangs', async () => {
    expect((await ask({ timeout: 0.2 })).error).toMatchObject({ kind: 'db_timeout', retryable: true });
  });

  it('is reported when it hangs up', async () => {
    const asked = ask({});
    while (sockets.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    sockets[1]!.end();
    expect((await asked).error).toMatchObject({ kind: 'db_connection', retryable: true });
  });

  it('is reported when it speaks something else', async () => {
    const asked = ask({ timeout: 5 });
    while (sockets.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    sockets[2]!.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    expect((await asked).status).toBe('error');
  });
});

async function* bytes(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
