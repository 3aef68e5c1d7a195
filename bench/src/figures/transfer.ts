/** A million rows from Postgres into DuckDB, compared with piping `COPY` of one into `COPY` of the other. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { probeSandbox } from '@woof/sandbox';
import { type PostgresServer, postgresReason, startPostgres } from '@woof/testkit/postgres';
import { createTools, type Tool, type ToolContext } from '@woof/tools';
import type Postgres from 'postgres';
import { type Figure, median } from '../figure.ts';

const ROWS = 1_000_000;
const ROUNDS = 2;
const QUERY = `SELECT n AS id, 'name ' || n AS name, n * 1.5::float8 AS score FROM generate_series(1, ${ROWS}) n`;

const LOADER = `const { DuckDBInstance } = require(process.argv[1]);
(async () => {
  const connection = await (await DuckDBInstance.create(process.argv[2])).connect();
  await connection.run('CREATE TABLE rows (id BIGINT, name VARCHAR, score DOUBLE)');
  await connection.run("COPY rows FROM '/dev/stdin' (FORMAT csv, HEADER false)");
  connection.closeSync();
})();`;

export async function transferFigures(): Promise<Figure[]> {
  const reason = postgresReason() ?? (await probeSandbox()).reason;
  if (reason !== undefined) return [missing(reason)];
  const folder = mkdtempSync(join(tmpdir(), 'woof-bench-'));
  const server = await startPostgres();
  // Nothing else keeps this process alive while the server ends.
  const awake = setInterval(() => {}, 1000);
  try {
    const tool = createTools().get('transfer')!;
    const ratios: number[] = [];
    let rate = 0;
    // The tool runs first, so that the peak memory so far is its own.
    await timed(() => byTool(tool, server, folder, 'warm'));
    const memory = process.resourceUsage().maxRSS / 1024;
    for (let round = 0; round < ROUNDS; round++) {
      const transfer = await timed(() => byTool(tool, server, folder, `tool-${round}`));
      const piped = await timed(() => byHand(server, join(folder, `hand-${round}.duckdb`)));
      ratios.push(transfer / piped);
      rate = (ROWS / transfer) * 1000;
    }
    const note = `${Math.round(rate)} rows/s`;
    return [
      { name: 'transfer of 1,000,000 rows beside COPY', value: median(ratios), unit: '×', atMost: 2, note },
      { name: 'memory of the worker meanwhile', value: memory, unit: 'MiB', atMost: 200 },
    ];
  } finally {
    await server.dispose();
    clearInterval(awake);
    rmSync(folder, { recursive: true, force: true });
  }
}

const missing = (note: string): Figure => ({ name: 'transfer', value: Number.NaN, unit: '×', note });

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function byTool(tool: Tool, server: PostgresServer, workdir: string, name: string): Promise<void> {
  const input = {
    source: { kind: 'postgres', url: server.url(), query: QUERY },
    target: { kind: 'duckdb', database: `${name}.duckdb`, table: 'rows' },
  };
  const outcome = await tool.run(
    {
      input,
      spec: { io_policy: { allow_files: true } },
      idempotencyKey: `bench/${name}/1`,
      visitKey: `bench/${name}/1`,
      executionId: 'bench',
      step: 's',
      fence: 1,
      attempt: 1,
      lost: 0,
      workdir,
    },
    {
      signal: new AbortController().signal,
      now: Date.now,
      log: () => undefined,
      granted: { allow_files: true, allow_network: false, allow_shell: false },
      sandbox: true,
    } as unknown as ToolContext,
  );
  if (outcome.status !== 'ok') throw new Error(JSON.stringify(outcome));
}

async function byHand(server: PostgresServer, database: string): Promise<void> {
  const require = createRequire(import.meta.url);
  const postgres = require('postgres') as typeof Postgres;
  const sql = postgres(server.url(), { max: 1 });
  const library = require.resolve('@duckdb/node-api');
  // DuckDB can open a pipe, but not a socket, which is what Node would pass.
  const line = 'cat | "$0" -e "$@"';
  const loader = spawn('bash', ['-o', 'pipefail', '-c', line, process.execPath, LOADER, library, database], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const ended = new Promise((resolve) => loader.once('close', resolve));
  const rows = await sql.unsafe(`COPY (${QUERY}) TO STDOUT (FORMAT csv)`).readable();
  await pipeline(rows, loader.stdin);
  if ((await ended) !== 0) throw new Error('DuckDB did not take the rows');
  // It does not notice that the copy is over.
  await sql.end({ timeout: 0 });
}
