/**
 * Compares Woof with other engines on this machine, in one run. Each workload is done by one engine after another,
 * repeatedly, so that other load on the machine affects all of them. All of them sync every commit. `npm run
 * bench:peers`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type PostgresServer, postgresReason, startPostgres } from '@woof/testkit/postgres';
import type Postgres from 'postgres';
import { median } from '../figure.ts';
import { chain } from '../machines.ts';
import { WOOF } from '../timed-command.ts';
import { Contestant, type Engine, missingPackage, nodeProgram, versionsOf } from './contestant.ts';

const ENGINES: Engine[] = [
  { name: 'Woof, SQLite', program: 'woof.mjs', packages: ['woof'] },
  { name: 'Woof, Postgres', program: 'woof.mjs', packages: ['woof'], postgres: true },
  {
    name: 'Restate',
    program: 'restate.mjs',
    packages: ['@restatedev/restate-server', '@restatedev/restate-sdk'],
  },
  { name: 'DBOS', program: 'dbos.mjs', packages: ['@dbos-inc/dbos-sdk'], postgres: true },
  { name: 'BullMQ', program: 'bullmq.mjs', packages: ['bullmq', 'ioredis'] },
];

const WORKS = {
  two: 'two noop steps, submit to end, p50 (ms)',
  chain: 'chain of 1,000 noop steps (steps/s)',
  many: '1,000 × 10 noop steps, 50 clients (steps/s)',
};
const COLD = 'cold start to the end of two steps (ms)';
const RECOVERY = 'killed at step 2,500 of 5,000: restart to the next step (ms)';
const ROUNDS = Number(process.env.WOOF_BENCH_ROUNDS ?? 3);

type Table = Map<string, Map<string, number[]>>;

export async function comparePeers(): Promise<void> {
  const reason = missingPackage(ENGINES) ?? postgresReason() ?? redisReason();
  if (reason !== undefined) throw new Error(`The peers cannot be measured here. ${reason}`);
  const postgres = await startPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'woof-peers-'));
  const table: Table = new Map();
  try {
    await warmWorks(table, folder, postgres);
    for (let round = 0; round < ROUNDS; round++) await restarts(table, folder, postgres, round);
    console.log(show(table));
  } finally {
    await postgres.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All engines stay running; those not being measured are idle. */
async function warmWorks(table: Table, folder: string, postgres: PostgresServer): Promise<void> {
  const contestants = new Map<Engine, Contestant>();
  try {
    for (const engine of ENGINES) contestants.set(engine, await start(engine, folder, postgres, 'warm'));
    console.log(settings(contestants));
    for (const contestant of contestants.values()) await contestant.measure('warm');
    for (let round = 0; round < ROUNDS; round++)
      for (const [work, name] of Object.entries(WORKS))
        for (const [engine, contestant] of contestants)
          note(table, name, engine.name, await contestant.measure(work));
  } finally {
    for (const contestant of contestants.values()) contestant.kill();
  }
}

async function restarts(
  table: Table,
  folder: string,
  postgres: PostgresServer,
  round: number,
): Promise<void> {
  for (const engine of ENGINES) {
    note(table, COLD, engine.name, await coldStart(engine, folder, postgres, `cold-${round}`));
    note(table, RECOVERY, engine.name, await recovery(engine, folder, postgres, `killed-${round}`));
  }
  note(table, COLD, 'woof run', runCommand(folder));
}

async function coldStart(
  engine: Engine,
  folder: string,
  postgres: PostgresServer,
  place: string,
): Promise<number> {
  const started = performance.now();
  const contestant = await start(engine, folder, postgres, place);
  await contestant.measure('once');
  const ms = performance.now() - started;
  contestant.kill();
  return ms;
}

async function recovery(
  engine: Engine,
  folder: string,
  postgres: PostgresServer,
  place: string,
): Promise<number> {
  const first = await start(engine, folder, postgres, place);
  await first.measure('half');
  first.kill();
  const started = performance.now();
  const second = await start(engine, folder, postgres, place);
  await second.measure('recover');
  const ms = performance.now() - started;
  second.kill();
  return ms;
}

function runCommand(folder: string): number {
  const file = join(folder, 'two.yaml');
  writeFileSync(file, chain('two', 2));
  const started = performance.now();
  const { status } = spawnSync(nodeProgram(), [WOOF, 'run', file], { cwd: folder, stdio: 'ignore' });
  if (status !== 0) throw new Error(`woof run ended with ${status}`);
  return performance.now() - started;
}

/** Uses a folder and a database that no other engine, and no earlier start, shares. */
async function start(
  engine: Engine,
  folder: string,
  postgres: PostgresServer,
  place: string,
): Promise<Contestant> {
  const own = join(folder, `${engine.name.replaceAll(/\W+/g, '-')}-${place}`);
  mkdirSync(own, { recursive: true });
  const database = basename(own).toLowerCase().replaceAll('-', '_');
  return Contestant.start(engine, own, engine.postgres ? await databaseOf(postgres, database) : undefined);
}

async function databaseOf(server: PostgresServer, name: string): Promise<string> {
  const postgres = createRequire(import.meta.url)('postgres') as typeof Postgres;
  const sql = postgres(server.url(), { max: 1 });
  const found = await sql`SELECT 1 FROM pg_database WHERE datname = ${name}`;
  if (found.length === 0) await sql`CREATE DATABASE ${sql(name)}`;
  await sql.end();
  return server.url(name);
}

function redisReason(): string | undefined {
  const { status } = spawnSync('redis-server', ['--version'], { stdio: 'ignore' });
  return status === 0
    ? undefined
    : 'BullMQ needs redis-server, which is not installed: apt-get install redis-server.';
}

function note(table: Table, work: string, engine: string, value: number): void {
  const row = table.get(work) ?? new Map<string, number[]>();
  table.set(work, row.set(engine, [...(row.get(engine) ?? []), value]));
}

function settings(contestants: Map<Engine, Contestant>): string {
  const node = spawnSync(nodeProgram(), ['--version'], { encoding: 'utf8' }).stdout.trim();
  const machine = `${cpus().length} × ${cpus()[0]?.model}, every engine on Node ${node}`;
  const lines = [...contestants].map(
    ([engine, { settings }]) => `${engine.name}: ${versionsOf(engine)}; ${settings}`,
  );
  return [machine, ...lines, `median of ${ROUNDS} rounds`].join('\n');
}

function show(table: Table): string {
  const names = [...ENGINES.map(({ name }) => name), 'woof run'];
  const rows = [...table].map(([work, row]) =>
    [work, ...names.map((name) => figure(row.get(name)))].join(' | '),
  );
  const rule = ['---', ...names.map(() => '---:')].join(' | ');
  return [`work | ${names.join(' | ')}`, rule, ...rows].map((row) => `| ${row} |`).join('\n');
}

function figure(values: number[] | undefined): string {
  return values === undefined ? '–' : median(values).toLocaleString('en', { maximumSignificantDigits: 3 });
}
