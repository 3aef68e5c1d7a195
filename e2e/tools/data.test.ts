/** Tool kinds for data, as a person uses them: the bundled program, real servers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@woof/net';
import { probeSandbox, sandboxRefusal } from '@woof/sandbox';
import { describeUnless, type PostgresServer, postgresReason, startPostgres } from '@woof/testkit';
import { createTools, type ToolCall, type ToolContext } from '@woof/tools';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runWoof, startWoof, temporaryFolder } from '../cli/woof.ts';

const probe = await probeSandbox();
const reason = postgresReason() ?? (probe.available ? undefined : sandboxRefusal(probe));

const PLAYBOOK = `
apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: data}
workload: {database: ""}
workflow:
  - step: start
    tool:
      - make:
          kind: postgres
          auth: "{{ workload.database }}"
          command: |
            CREATE TABLE orders (id int PRIMARY KEY, run text, amount numeric(10,2));
            INSERT INTO orders SELECT n, :run, n * 1.5 FROM generate_series(1, 30000) n
          params: {run: "{{ execution_id }}"}
      - read: {kind: postgres, auth: "{{ workload.database }}", query: "SELECT * FROM orders ORDER BY id"}
    next: {arcs: [{step: total}]}
  - step: total
    tool:
      - sum:
          kind: duckdb
          tables: {orders: "{{ start.rows }}"}
          command: |
            COPY (SELECT * FROM orders) TO 'orders.parquet';
            SELECT count(*) AS n, sum(amount) AS total, count(DISTINCT run) AS runs FROM 'orders.parquet'
          spec: {io_policy: {allow_files: true}}
`;

const LARGE = `
apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: large}
workload: {database: ""}
workflow:
  - step: start
    tool:
      - make:
          kind: duckdb
          command: "SELECT range::INT AS id, repeat('x', 1000) AS t, (range / 4)::DECIMAL(10,2) AS d FROM range(18000)"
    next: {arcs: [{step: use}]}
  - step: use
    tool:
      - table:
          kind: duckdb
          tables: {t: "{{ start.rows }}"}
          command: "SELECT count(*) AS n, sum(d) AS s, any_value(typeof(d)) AS type FROM t"
      - copy:
          kind: postgres
          auth: "{{ workload.database }}"
          command: |
            CREATE TEMP TABLE large (id int, t text, d numeric(10,2));
            COPY large FROM STDIN;
            SELECT count(*) AS n, sum(d) AS s FROM large
          data: "{{ start.rows }}"
      - all:
          kind: noop
          result:
            table: "{{ results.table.rows }}"
            copy: "{{ results.copy.rows }}"
            loaded: "{{ start.rows[17999].d }}"
            type: "{{ (start.rows | ref).schema_hint.content_type }}"
`;

const tool = createTools().get('postgres')!;
afterAll(() => tool.close?.());

/** Empty if the table does not exist yet. */
async function rowsOf(url: string, command: string): Promise<JsonObject[]> {
  const call = {
    input: { url, command },
    spec: {},
    idempotencyKey: '',
    executionId: 'x',
    step: '',
    fence: 1,
    attempt: 1,
    workdir: '.',
  };
  const outcome = await tool.run(
    call as unknown as ToolCall,
    { signal: new AbortController().signal } as ToolContext,
  );
  return outcome.status === 'ok' ? (outcome.result as { rows: JsonObject[] }).rows : [];
}

/** The table takes the second half of the rows only when `go` has a row. */
const HELD = `
CREATE TABLE go (n int);
CREATE TABLE moved (id int, s text);
CREATE FUNCTION held() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  WHILE NEW.id > 100 AND NOT EXISTS (SELECT FROM go) LOOP PERFORM pg_sleep(0.01); END LOOP;
  RETURN NEW; END $$;
CREATE TRIGGER held BEFORE INSERT ON moved FOR EACH ROW EXECUTE FUNCTION held()`;

const SLOW = `
apiVersion: noetl.io/v10
kind: Playbook
metadata: {name: slow}
workload: {database: ""}
workflow:
  - step: start
    tool:
      - move:
          kind: transfer
          source:
            kind: postgres
            auth: "{{ workload.database }}"
            query: "SELECT n AS id, n::text AS s FROM generate_series(1, 200) n ORDER BY n"
          target: {kind: postgres, auth: "{{ workload.database }}", table: moved}
          chunk_size: 10
`;

describeUnless(reason)('postgres and duckdb in a playbook', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.dispose());

  test('pass a large result from one to the other', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'data.yaml'), PLAYBOOK);
    const ran = await runWoof(['run', 'data.yaml', '--set', `database=${server.url()}`, '--json'], { cwd });
    const last = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '{}');
    expect(last).toMatchObject({
      status: 'succeeded',
      steps: { total: { result: { rows: [{ n: 30000, total: 675022500, runs: 1 }] } } },
    });
    expect(readFileSync(join(cwd, 'orders.parquet')).subarray(0, 4).toString()).toBe('PAR1');
  });

  test('read a table of Arrow, as templates and people do', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'large.yaml'), LARGE);
    const ran = await runWoof(['run', 'large.yaml', '--set', `database=${server.url()}`, '--json'], { cwd });
    const last = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '{}');
    expect(last.steps.use, JSON.stringify(last.error)).toMatchObject({
      result: {
        table: [{ n: 18000, s: 40497750, type: 'DECIMAL(10,2)' }],
        copy: [{ n: 18000, s: 40497750 }],
        loaded: 4499.75,
        type: 'application/vnd.apache.arrow.stream',
      },
    });
    const { stdout } = await runWoof(['result', 'last', 'start', '--json'], { cwd });
    const { rows, row_count } = JSON.parse(stdout);
    expect([rows.length, row_count, rows[1]]).toEqual([
      18000,
      18000,
      { id: 1, t: 'x'.repeat(1000), d: 0.25 },
    ]);
  });

  test('an error names the step, the task and the line of the SQL', async () => {
    const cwd = temporaryFolder();
    const text = PLAYBOOK.replace('INSERT INTO orders SELECT', 'INSERT INTO ordres SELECT');
    writeFileSync(join(cwd, 'data.yaml'), text.replaceAll('orders (id', 'other (id'));
    const ran = await runWoof(['run', 'data.yaml', '--set', `database=${server.url()}`], { cwd });
    expect(ran.status).toBe(1);
    expect(ran.stderr + ran.stdout).toMatch(/start.*make|make.*start/s);
    expect(ran.stderr + ran.stdout).toMatch(/statement 2 of 2, line 2.*"ordres" does not exist/s);
  });

  test('a transfer that was killed with kill -9 continues after its last chunk', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'slow.yaml'), SLOW);
    const count = async (what = '*') => {
      const command = `SELECT count(${what}) AS n FROM moved`;
      const rows = await rowsOf(server.url(), command);
      return Number(rows[0]?.n ?? 0);
    };
    await rowsOf(server.url(), HELD);
    const first = startWoof(['run', 'slow.yaml', '--set', `database=${server.url()}`], { cwd });
    while ((await count()) < 30) await new Promise((resolve) => setTimeout(resolve, 20));
    first.child.kill('SIGKILL');
    await first.ended;
    expect(await count()).toBeLessThan(200);
    await rowsOf(server.url(), 'INSERT INTO go VALUES (1)');
    const ran = await runWoof(['resume', 'last', '--json'], { cwd });
    const last = JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? '{}');
    expect(last).toMatchObject({
      status: 'succeeded',
      steps: {
        start: {
          result: { rows_transferred: 200, chunks_processed: 20, resumed_after_chunk: expect.any(Number) },
        },
      },
    });
    expect(await count()).toBe(200);
    expect(await count('DISTINCT id')).toBe(200);
  });
});
