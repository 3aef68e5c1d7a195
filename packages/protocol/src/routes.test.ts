/** `npm run routes` writes routes.ts from the calls in http/. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CALLS } from './http/calls.ts';

const FILE = fileURLToPath(new URL('routes.ts', import.meta.url));
const TABLE = /(?<=^export const ROUTES.* = \{\n)[\s\S]*(?=^\};\n)/m;

test('routes.ts has the method, path and role of every call: else run `npm run routes`', () => {
  const rows = Object.entries(CALLS).map(
    ([name, { method, path, role }]) =>
      `  '${name}': { method: '${method}', path: '${path}', role: '${role}' },\n`,
  );
  const current = readFileSync(FILE, 'utf8');
  expect(current).toMatch(TABLE);
  const written = current.replace(TABLE, () => rows.join(''));
  if (process.env.WOOF_WRITE_ROUTES) writeFileSync(FILE, written);
  else expect(current).toBe(written);
});
