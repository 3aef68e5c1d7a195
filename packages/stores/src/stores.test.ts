import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exerciseStore } from '@woof/testkit';
import { expect, it } from 'vitest';
import { MemoryStore } from './memory/memory-store.ts';
import { openDatabase } from './sqlite/database.ts';
import { SqliteStore } from './sqlite/sqlite-store.ts';

exerciseStore('memory', async () => ({ store: new MemoryStore(), dispose: async () => {} }));

exerciseStore('sqlite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'woof-store-'));
  let store = new SqliteStore(join(folder, 'woof.db'));
  return {
    store,
    reopen: async () => {
      await store.close();
      store = new SqliteStore(join(folder, 'woof.db'));
      return store;
    },
    dispose: async () => {
      await store.close();
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
  expect(() => new SqliteStore(path)).toThrow(/schema 99.*Use a newer woof/);
  expect(() => new SqliteStore(path, { readOnly: true })).toThrow(/schema 99/);
  rmSync(folder, { recursive: true });
});
