import { failure } from '@woof/net';
import { expect, test } from 'vitest';
import { tellUnknownEntry } from './unknown-entry.ts';

const entries = [
  { name: 'shop', kind: 'bearer' },
  { name: 'pg', kind: 'postgres_credential' },
];
const refused = failure('schema', 'http: "auth" must be the name of a keychain entry');

test.each([
  [{ auth: 'kk' }, entries, /no entry "kk": its entries are shop, pg$/],
  [{ credential: 'kk' }, [], /no entry "kk": it has no entries$/],
])('the error of %j names it, and what there is', (written, known, message) => {
  expect(tellUnknownEntry(refused, known, written)).toMatchObject({
    error: { kind: 'schema', message: expect.stringMatching(message) },
  });
});

test.each([
  ['a template', refused, { auth: '{{ workload.which }}' }],
  ['an entry', refused, { auth: 'shop' }],
  ['an address', refused, { auth: 'postgres://me:secret@host/db' }],
  ['an error of something else', failure('schema', 'http: "url" is missing'), { auth: 'kk' }],
  ['an error of another kind', failure('auth', '"auth" was refused'), { auth: 'kk' }],
])('nothing is added for %s', (_what, outcome, written) => {
  expect(tellUnknownEntry(outcome, entries, written)).toBe(outcome);
});
