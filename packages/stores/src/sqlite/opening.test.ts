/**
 * A store that several processes use: while it is being created, whoever opens it waits; then all of them write to it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Frame } from '../store.ts';
import { openDatabase } from './database.ts';
import { MIGRATIONS } from './migrations.ts';
import { SqliteStore } from './sqlite-store.ts';

const ROUNDS = 60;
const root = fileURLToPath(new URL('../../../../', import.meta.url));
let program = '';

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'woof-open-'));
  program = join(folder, 'open-store.mjs');
  const input = fileURLToPath(new URL('../fixtures/open-store.ts', import.meta.url));
  const build = await rolldown({ input, platform: 'node', external: ['@photostructure/sqlite'] });
  await build.write({ file: program });
  await build.close();
  return () => rmSync(folder, { recursive: true });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'woof-open-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Another process that opens a file; resolves with the result. `onOpening`: called when it starts to open the file. */
function startOpener(): (
  role: 'writer' | 'reader' | 'appender',
  path: string,
  onOpening?: () => void,
) => Promise<string> {
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, NODE_PATH: join(root, 'node_modules') },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => ((await lines.next()) as IteratorResult<string>).value ?? 'the process ended';
  return async (role, path, onOpening) => {
    child.stdin.write(`${role} ${path}\n`);
    const first = await next();
    if (first !== 'opening') return first;
    onOpening?.();
    return next();
  };
}

it('many processes open a new store at once: all of them can use it', async () => {
  const folder = temporaryFolder();
  const roles = ['writer', 'writer', 'reader', 'reader', 'reader', 'reader'] as const;
  const openers = roles.map((role) => ({ role, open: startOpener() }));
  const counts: Record<string, number> = {};
  for (let round = 0; round < ROUNDS; round++) {
    const path = join(folder, `${round}.db`);
    const answers = await Promise.all(openers.map(({ role, open }) => open(role, path)));
    for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  }
  expect(counts).toEqual({ ok: ROUNDS * roles.length });
});

it('many processes append at once: each log is complete, and of two equal frames one is refused', async () => {
  const path = join(temporaryFolder(), 'woof.db');
  const openers = Array.from({ length: 5 }, startOpener);
  expect(await Promise.all(openers.map((open) => open('appender', path)))).toEqual(Array(5).fill('ok'));
  const store = new SqliteStore(path, { readOnly: true });
  const rows = await store.executions();
  expect(rows).toHaveLength(6);
  for (const { execution_id: id } of rows) {
    const frames: Frame[] = [];
    for await (const frame of store.read(id)) frames.push(frame);
    expect(frames.map(({ from }) => from)).toEqual(Array.from({ length: 150 }, (_, at) => at));
    const writers = new Set(frames.map(({ events }) => events[0]?.at));
    if (id !== 'shared') expect([...writers]).toEqual([Number(id.slice('own-'.length))]);
  }
  await store.close();
});

const [FIRST = '', ...later] = MIGRATIONS;
const REST = later.join('');
const DONE = `PRAGMA user_version = ${MIGRATIONS.length}`;
const WAL = 'PRAGMA journal_mode = WAL';

/** What a process that creates or updates a store does up to a moment, and after it. */
const MOMENTS: [name: string, before: string[], after: string[]][] = [
  ['before there is a table', [WAL], ['BEGIN IMMEDIATE', FIRST, REST, DONE, 'COMMIT']],
  ['with half of the tables', [WAL, 'BEGIN IMMEDIATE', FIRST], [REST, DONE, 'COMMIT']],
  ['before the commit', [WAL, 'BEGIN IMMEDIATE', FIRST, REST, DONE], ['COMMIT']],
  [
    'while an older store is updated',
    [WAL, FIRST, 'PRAGMA user_version = 1', 'BEGIN IMMEDIATE'],
    [REST, DONE, 'COMMIT'],
  ],
];

it.each(MOMENTS)('a reader that comes %s waits until it can read', async (_, before, after) => {
  const path = join(temporaryFolder(), 'woof.db');
  const maker = openDatabase(path);
  for (const sql of before) maker.exec(sql);
  // The pause lets the reader see the intermediate state; a reader that comes later only sees more.
  const goOn = () => setTimeout(() => maker.exec(after.join(';')), 50);
  expect(await startOpener()('reader', path, goOn)).toBe('ok');
  maker.close();
});

it.each([
  ['began to make it', [WAL], /is incomplete: the process that was creating it did not finish/],
  ['was an older woof', [WAL, FIRST, 'PRAGMA user_version = 1'], /older schema/],
])('a reader waits no longer than it may for a process that %s', (_, before, message) => {
  const path = join(temporaryFolder(), 'woof.db');
  const maker = openDatabase(path);
  for (const sql of before) maker.exec(sql);
  maker.close();
  expect(() => new SqliteStore(path, { readOnly: true, waitMs: 0 })).toThrow(message);
});

it('an update that fails leaves the store as it was, and no lock on it', async () => {
  const path = join(temporaryFolder(), 'woof.db');
  const other = openDatabase(path, { timeout: 0 });
  for (const sql of [WAL, FIRST, 'PRAGMA user_version = 1', 'CREATE TABLE gates (key TEXT)']) other.exec(sql);
  const schema = () => other.prepare('SELECT * FROM sqlite_schema').all();
  const before = schema();
  expect(() => new SqliteStore(path)).toThrow(/gates already exists/);
  expect(schema()).toEqual(before);
  other.exec('DROP TABLE gates');
  await new SqliteStore(path).close();
  expect(other.prepare('PRAGMA user_version').all()).toEqual([{ user_version: MIGRATIONS.length }]);
  other.close();
});
