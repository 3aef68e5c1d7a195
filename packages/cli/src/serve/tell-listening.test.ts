import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { noteFile } from '../remote/folder-server.ts';
import { announce } from './server-note.ts';
import type { Started } from './start-server.ts';
import { tellListening } from './tell-listening.ts';

const url = 'http://127.0.0.1:1';
const TOKEN = 'woof_id_secret';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'woof-tell-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function told(path: string, adminToken: string | undefined, isTerminal: boolean): Promise<string> {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  const wasTerminal = process.stderr.isTTY;
  process.stderr.isTTY = isTerminal;
  try {
    const server = { url, createLoginCode: async () => 'code' };
    const started = { server, adminToken, data: { path, kind: 'sqlite' } } as unknown as Started;
    await tellListening(started, 'listens', {});
    return said.mock.calls.join('\n');
  } finally {
    process.stderr.isTTY = wasTerminal;
    said.mockRestore();
  }
}

test('the admin token is shown on a terminal only; elsewhere the private file that contains it is named', async () => {
  const path = folder();
  announce(path, 'sqlite', { url, pid: 7, token: TOKEN });
  expect(await told(path, TOKEN, true)).toContain(`  token   ${TOKEN}  (admin)`);
  const logged = await told(path, TOKEN, false);
  expect(logged).not.toContain(TOKEN);
  const file = / {2}token {3}in (\S+)/.exec(logged)?.[1] ?? '';
  expect(file).toBe(noteFile(path, 'sqlite'));
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a token that no file contains is printed on a terminal only; elsewhere the line says how to get one', async () => {
  const path = folder();
  announce(path, 'sqlite', { url, pid: 7, token: 'woof_id_other' });
  const logged = await told(path, TOKEN, false);
  expect(logged).not.toMatch(/woof_id_/);
  expect(logged).toContain('--new-admin-token --json');
});

test.each([true, false])(
  'a store whose token is not known here says so (terminal: %s)',
  async (isTerminal) => {
    expect(await told(folder(), undefined, isTerminal)).toContain('the store already has an admin token');
  },
);
