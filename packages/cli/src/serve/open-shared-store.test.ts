import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { folderServers, readNote } from '../remote/folder-server.ts';
import { openSharedStore } from './open-shared-store.ts';
import { announce } from './server-note.ts';

afterEach(() => vi.unstubAllEnvs());

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'woof-store-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

test('WOOF_STORE names the store; --store wins', async () => {
  const [ours, other] = [join(folder(), 'ours'), join(folder(), 'other')];
  vi.stubEnv('WOOF_STORE', `sqlite:${ours}`);
  const first = await openSharedStore({});
  expect(first.path).toBe(ours);
  await first.close();
  const second = await openSharedStore({ store: `sqlite:${other}` });
  expect(second.path).toBe(other);
  await second.close();
});

test('an empty WOOF_STORE counts as unset', async () => {
  const data = join(folder(), 'data');
  vi.stubEnv('WOOF_STORE', '');
  const opened = await openSharedStore({ data });
  expect([opened.path, existsSync(data)]).toEqual([data, true]);
  await opened.close();
});

test('a server that starts is not mistaken for one that crashed', async () => {
  const data = folder();
  const note = { url: 'http://127.0.0.1:1', pid: process.pid, token: 'kept' };
  announce(data, 'sqlite', note);
  const opened = await openSharedStore({ store: `sqlite:${data}` });
  expect([folderServers(data), readNote(data, 'sqlite').token]).toEqual([[], 'kept']);
  announce(data, 'sqlite', note);
  expect(folderServers(data)).toEqual([{ ...note, store: 'sqlite' }]);
  await opened.close();
  expect(folderServers(data)).toEqual([]);
});

test('an address that is not a store is refused by the name of its source, without its password', async () => {
  vi.stubEnv('WOOF_STORE', 'ftp://me:hunter2@db/woof');
  const refusal = await openSharedStore({}).catch((error: Error) => error.message);
  expect(refusal).toMatch(/^WOOF_STORE .*ftp/);
  expect(refusal).not.toContain('hunter2');
});
