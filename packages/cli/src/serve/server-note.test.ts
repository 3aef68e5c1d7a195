import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { tryLock } from '../lock-file.ts';
import { folderServers, lockFile, noteFile, readNote } from '../remote/folder-server.ts';
import { announce, withdraw } from './server-note.ts';

const note = { url: 'http://127.0.0.1:1', pid: 7, token: 'secret' };

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'woof-note-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function lock(place: string, kind: 'sqlite' | 'postgres') {
  const taken = tryLock(lockFile(place, kind), 'exclusive')!;
  onTestFinished(() => taken.release());
}

test('a note is believed while a server of its kind holds the lock', () => {
  const place = folder();
  announce(place, 'postgres', note);
  expect(statSync(noteFile(place, 'postgres')).mode & 0o777).toBe(0o600);
  expect(folderServers(place)).toEqual([]);
  lock(place, 'sqlite');
  expect(folderServers(place)).toEqual([]);
  lock(place, 'postgres');
  expect(folderServers(place)).toEqual([{ ...note, store: 'postgres' }]);
});

test('the next server removes the address, and the token stays', () => {
  const place = folder();
  announce(place, 'sqlite', note);
  lock(place, 'sqlite');
  withdraw(place, 'sqlite');
  expect([folderServers(place), readNote(place, 'sqlite')]).toEqual([[], { token: 'secret' }]);
  withdraw(place, 'postgres');
  expect(readNote(place, 'postgres')).toEqual({});
});

test.each(['', 'null', '"text"', '[]', '{"url": 5, "token": {}, "pid": "x"}', '{"url": "http'])(
  'a file that is not a note is ignored: %s',
  (text) => {
    const place = folder();
    writeFileSync(noteFile(place, 'sqlite'), text);
    expect(readNote(place, 'sqlite')).toEqual({});
    withdraw(place, 'sqlite');
    announce(place, 'sqlite', note);
    expect(readNote(place, 'sqlite')).toEqual(note);
  },
);

/** Holds the lock as a process that checks it does, until it reads a line. */
const LOOKER = `
let sqlite;
try { sqlite = require('node:sqlite'); } catch { sqlite = require(process.argv[2]); }
const database = new sqlite.DatabaseSync(process.argv[1]);
database.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
console.log('looks');
process.stdin.once('data', () => setTimeout(() => process.exit(), 20));
`;

test('taking the lock waits for a process that only checks it', async () => {
  const file = lockFile(folder(), 'postgres');
  const binding = createRequire(new URL('../../../stores/package.json', import.meta.url));
  const args = ['-e', LOOKER, file, binding.resolve('@photostructure/sqlite')];
  const looker = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void looker.kill('SIGKILL'));
  await new Promise((resolve) => looker.stdout.once('data', resolve));
  expect(tryLock(file, 'exclusive')).toBeUndefined();
  await new Promise((resolve) => looker.stdin.write('\n', resolve));
  const taken = tryLock(file, 'exclusive', 100_000);
  expect(taken).toBeDefined();
  taken!.release();
});
