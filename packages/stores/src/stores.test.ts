import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exerciseStore } from '@woof/testkit';
import { expect, it } from 'vitest';
import { MemoryStore } from './memory/memory-store.ts';
import { openDatabase } from './sqlite/database.ts';
import { MIGRATIONS } from './sqlite/migrations.ts';
import { SqliteStore } from './sqlite/sqlite-store.ts';

exerciseStore('memory', async () => ({ store: new MemoryStore(), dispose: async () => {} }));

exerciseStore('sqlite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'woof-store-'));
  let store = new SqliteStore(join(folder, 'woof.db'));
  const others: SqliteStore[] = [];
  return {
    store,
    tellsItselfOnly: true,
    another: async () => {
      others.push(new SqliteStore(join(folder, 'woof.db')));
      return others.at(-1)!;
    },
    reopen: async () => {
      await store.close();
      store = new SqliteStore(join(folder, 'woof.db'));
      return store;
    },
    dispose: async () => {
      for (const one of [...others, store]) await one.close();
      rmSync(folder, { recursive: true });
    },
  };
});

it('sqlite: refuses a schema that is newer than this program', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'woof-store-'));
  const path = join(folder, 'woof.db');
  await new SqliteStore(path).close();
  const db = openDatabase(path);
  db.exec('PRAGMA user_version = 99');
  db.close();
  expect(() => new SqliteStore(path)).toThrow(/schema version 99.*Use a newer Woof/);
  expect(() => new SqliteStore(path, { readOnly: true })).toThrow(/schema version 99/);
  rmSync(folder, { recursive: true });
});

it('sqlite: updates a file with the first schema and keeps its contents', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'woof-store-'));
  const path = join(folder, 'woof.db');
  const db = openDatabase(path);
  db.exec(MIGRATIONS[0]!);
  const row = { execution_id: 'a', name: 'old', kind: 'playbook', status: 'running', path: 'p' };
  const insert = db.prepare('INSERT INTO executions (id, status, row) VALUES (?, ?, ?)');
  insert.run('a', 'running', JSON.stringify(row));
  db.exec('PRAGMA user_version = 1');
  db.close();
  expect(() => new SqliteStore(path, { readOnly: true, waitMs: 0 })).toThrow(/older schema/);
  const store = new SqliteStore(path);
  expect(await store.executions({ name: 'old', path: 'p' })).toEqual([row]);
  expect(await store.takeDue('s1', 5)).toEqual(['a']);
  await store.close();
  rmSync(folder, { recursive: true });
});

it('sqlite: says when an update takes long, counts executions, and lists them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'woof-store-'));
  const path = join(folder, 'woof.db');
  const db = openDatabase(path);
  db.exec(MIGRATIONS.slice(0, 2).join(';'));
  db.exec(`INSERT INTO executions (id, status, row)
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
    SELECT 'run-' || i, 'failed', json_object('execution_id', 'run-' || i, 'name', 'n' || i, 'kind', 'playbook',
      'status', 'failed', 'started_at', i) FROM n`);
  db.exec('PRAGMA user_version = 2');
  db.close();
  const said: number[] = [];
  const store = new SqliteStore(path, { onLongUpdate: (executions) => said.push(executions) });
  expect(said).toEqual([100_000]);
  expect(await store.counts()).toMatchObject({ failed: 100_000, running: 0 });
  expect((await store.list({ name: 'n99998' })).executions).toHaveLength(1);
  expect(await store.list({ name: 'n3' })).toMatchObject({ executions: [], next: expect.any(String) });
  await store.close();
  await new SqliteStore(path, { onLongUpdate: (executions) => said.push(executions) }).close();
  expect(said).toHaveLength(1);
  rmSync(folder, { recursive: true });
});

it('memory: judges by the clock that it is given', async () => {
  let now = 1_000_000;
  const store = new MemoryStore(() => now);
  const member = { id: 'm', kind: 'worker', info: {} } as const;
  const isAlive = async () => (await store.members()).map(({ alive }) => alive);
  await store.beat(member, 100);
  const permit = { key: 'k', holder: 'h', member: 'm', concurrency: 1, perSecond: 10 };
  expect(await store.permits.enter(permit)).toBe(0);
  await store.permits.exit('k', 'h');
  now += 99;
  expect(await isAlive()).toEqual([true]);
  expect(await store.permits.enter(permit)).toBe(1);
  now += 1;
  expect(await isAlive()).toEqual([false]);
  now += 24 * 3600 * 1000 - 1;
  expect(await isAlive()).toEqual([false]);
  now += 1;
  expect(await isAlive()).toEqual([]);
  expect(await store.now()).toBe(now);
});
