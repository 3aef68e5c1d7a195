import { describeUnless, type PostgresServer, postgresReason, startPostgres } from '@woof/testkit';
import fc from 'fast-check';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitSql } from './split-sql.ts';

const texts = (sql: string) => splitSql(sql).map(({ text }) => text);

describe('splitSql', () => {
  it.each([
    ['', []],
    [' ;; -- only;\n /* a; */ ;', []],
    ['SELECT 1', ['SELECT 1']],
    ["SELECT 'a;b'; SELECT 2;", ["SELECT 'a;b'", 'SELECT 2']],
    ["SELECT 'it''s;'; SELECT 2", ["SELECT 'it''s;'", 'SELECT 2']],
    ["SELECT E'it\\';s'; SELECT 2", ["SELECT E'it\\';s'", 'SELECT 2']],
    ["SELECT '\\'; SELECT 2", ["SELECT '\\'", 'SELECT 2']],
    ['SELECT ";" FROM a; SELECT 2', ['SELECT ";" FROM a', 'SELECT 2']],
    ['DO $$ a; b $$; SELECT 2', ['DO $$ a; b $$', 'SELECT 2']],
    ['DO $x$ a; $$; $y$; $x$; SELECT 2', ['DO $x$ a; $$; $y$; $x$', 'SELECT 2']],
    ['SELECT a$b$; SELECT c$b$', ['SELECT a$b$', 'SELECT c$b$']],
    ['SELECT 1 -- a; b\n; SELECT 2', ['SELECT 1 -- a; b', 'SELECT 2']],
    ['SELECT /* a; /* b; */ c; */ 1; SELECT 2', ['SELECT /* a; /* b; */ c; */ 1', 'SELECT 2']],
    ['CREATE RULE r AS ON INSERT TO a DO (DELETE FROM b; DELETE FROM c); SELECT 2', 2],
    [
      'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END; SELECT 2',
      2,
    ],
    ['BEGIN; SELECT 1; END; SELECT 2', 4],
    ["SELECT 'never closed; SELECT 2", 1],
  ] as [string, string[] | number][])('splits %j', (sql, expected) => {
    if (typeof expected === 'number') expect(texts(sql)).toHaveLength(expected);
    else expect(texts(sql)).toEqual(expected);
  });

  it('knows lines and numbers placeholders separately in each statement', () => {
    expect(splitSql('\n-- first\nSELECT $2, $1, $2;\n\nSELECT $3', 'numbered')).toEqual([
      { text: '-- first\nSELECT $1, $2, $1', uses: [1, 0], line: 3 },
      { text: 'SELECT $1', uses: [2], line: 5 },
    ]);
    expect(splitSql("SELECT :a, ':b', a::b, x[1:n], %(c)s -- :d", 'named')).toEqual([
      { text: "SELECT $1, ':b', a::b, x[1:n], $2 -- :d", uses: ['a', 'c'], line: 1 },
    ]);
  });

  it('ignores a colon before a word that is not known', () => {
    const sql = 'SELECT :a, :b';
    expect(splitSql(sql, 'named', new Set(['b']))).toEqual([{ text: 'SELECT :a, $1', uses: ['b'], line: 1 }]);
  });

  it('processes a long text in linear time', () => {
    const text = `${"SELECT 'a;' -- b\n;".repeat(20_000)}`;
    expect(splitSql(text)).toHaveLength(20_000);
  });
});

/** Postgres itself is the reference: for one text it returns as many results as there are statements. */
describeUnless(postgresReason())('splitSql compared with Postgres', () => {
  let server: PostgresServer;
  let client: ReturnType<typeof postgres>;
  beforeAll(async () => {
    server = await startPostgres();
    client = postgres(server.url(), { max: 1, onnotice: () => {} });
  });
  afterAll(async () => {
    await client.end();
    await server.dispose();
  });

  const inner = fc
    .array(fc.constantFrom(';', "''", '"', '$$', '$a$', '--', '/*', '*/', '\n', 'x', '\\', ' ', ':'), {
      maxLength: 6,
    })
    .map((parts) => parts.join(''));
  const safe = (pattern: RegExp) => inner.map((text) => text.replace(pattern, ''));
  const literal = fc.oneof(
    inner.map((text) => `'${text}'`),
    inner.map((text) => `E'${text.replaceAll('\\', '\\\\')}\\''`),
    safe(/\$/g).map((text) => `$$${text}$$`),
    safe(/\$/g).map((text) => `$tag$${text}$$${text}$tag$`),
  );
  const comment = fc.oneof(
    inner.map((text) => `--${text.replaceAll('\n', '')}\n`),
    safe(/[*/]/g).map((text) => `/*${text}/* ${text} */*/`),
    fc.constant(' '),
  );
  const statement = fc
    .tuple(comment, literal, comment, safe(/["\\]/g), comment)
    .map(([a, b, c, name, d]) => `${a}SELECT ${c}${b} AS "x${name}"${d}`);

  it('finds the statements that Postgres finds', async () => {
    const sql = fc.array(fc.oneof(statement, comment), { maxLength: 5 }).map((each) => each.join(';'));
    await fc.assert(
      fc.asyncProperty(sql, async (text) => {
        const whole = await client.unsafe(text).simple();
        const results = (Array.isArray(whole[0]) ? whole : [whole]) as unknown as { [x: number]: object }[];
        const expected = results.filter((each) => each[0]).map((each) => each[0]);
        const ours: object[] = [];
        for (const each of splitSql(text)) ours.push((await client.unsafe(each.text).simple())[0] as object);
        expect(ours).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});
