/** The page of the HTTP API matches the program: every call has a row, and every example gets the answer shown. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROUTES } from '@woof/protocol';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../cli/woof.ts';
import { startServer } from '../server/machines.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/API.md', import.meta.url)), 'utf8');

interface Example {
  method: string;
  path: string;
  body: string;
  status: number;
  answer: unknown;
}

const EXAMPLE = /^```http\n(\w+) (\S+)\n([\s\S]*?)^```\n+^```json (\d+)\n([\s\S]*?)^```/gm;
const examples = [...page.matchAll(EXAMPLE)].map(([, method, path, body, status, answer]): Example => {
  return { method: method!, path: path!, body: body!, status: Number(status), answer: JSON.parse(answer!) };
});

/** `"…"` matches any text and 0 any number. Objects may have further keys, but lists no further items. */
function meant(value: unknown): unknown {
  if (value === '…') return expect.any(String);
  if (value === 0) return expect.any(Number);
  if (Array.isArray(value)) return value.map(meant);
  if (typeof value !== 'object' || value === null) return value;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, meant(inner)])),
  );
}

test('has a row for each call, with its role, and for nothing else', () => {
  const rows = [...page.matchAll(/^\| `(\w+ \/\S*)` \| (\S+) \|/gm)].map(([, call, role]) => [call, role]);
  const known = Object.values(ROUTES).map(({ method, path, role }) => [`${method} ${path}`, role]);
  expect(rows.sort()).toEqual(known.sort());
});

test('every example is tested', () => {
  expect(examples).toHaveLength(page.match(/^```http$/gm)!.length);
  expect(examples.length).toBeGreaterThan(8);
});

test('every example gets the answer shown, and the server shows this page', async () => {
  const { url, token } = await startServer(temporaryFolder(), { verb: 'up' });
  expect(await (await fetch(`${url}/docs/API.html`)).text()).toContain('<title>The HTTP API · Woof</title>');
  let id = '';
  for (const { method, path, body, status, answer } of examples) {
    const call = async () => {
      const response = await fetch(url + path.replace('ID', id), {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === '' ? {} : { body }),
      });
      return { status: response.status, answer: (await response.json()) as { execution_id: string } };
    };
    const expected = { status, answer: meant(answer) };
    // A worker is busy with it meanwhile, so reads are repeated until they match.
    if (method === 'GET') await expect.poll(call, { message: path }).toEqual(expected);
    else {
      const got = await call();
      expect(got, path).toEqual(expected);
      if (id === '') id = got.answer.execution_id;
    }
  }
});
