import { failure, type JsonObject, type Plan, type Task } from '@woof/net';
import { expect, test } from 'vitest';
import { tellUnknownEntry } from './unknown-entry.ts';

const entries = [
  { name: 'shop', kind: 'bearer' },
  { name: 'pg', kind: 'postgres_credential' },
];
const refused = failure('schema', 'http: "auth" must be the name of a keychain entry');

const workload = { which: 'kk', shop: 'shop' };

function told(
  outcome: typeof refused,
  keychain: Plan['keychain'],
  input: JsonObject,
  kind = 'http',
  got: JsonObject = input,
) {
  const task: Task = { label: 't', kind, at: [1, 1], input, spec: {} };
  const step = {
    name: 's',
    at: [1, 1],
    join: 'each',
    admit: [],
    tasks: [task],
    next: { mode: 'exclusive', arcs: [] },
  };
  const plan = { keychain, steps: [step], blocks: {}, workload } as unknown as Plan;
  return tellUnknownEntry(outcome, plan, task, got, (name, fields) => `set ${[name, ...fields].join(' ')}`);
}

test.each([
  [
    { auth: 'kk' },
    entries,
    'http',
    '`auth: kk` names a keychain entry, but the keychain of the document does not declare it (it has: shop, pg); add to its keychain: - {name: kk, kind: bearer}; then set kk token',
  ],
  [
    { credential: 'kk' },
    [],
    'postgres',
    '(it has none); add to the document: keychain: [{name: kk, kind: postgres_credential}]; then set kk host port user password database',
  ],
  [{ auth: 'shob' }, entries, 'http', 'did you mean "shop"?'],
])('the error of %j says what to write and what to set', (input, known, kind, message) => {
  expect(told(refused, known, input, kind)).toMatchObject({
    error: { kind: 'schema', message: expect.stringContaining(message) },
  });
});

test.each([
  ['a template', refused, { auth: '{{ workload.which }}' }],
  ['an entry', refused, { auth: 'shop' }],
  ['an address', refused, { auth: 'postgres://me:secret@host/db' }],
  ['an error of something else', failure('schema', 'http: "url" is missing'), { auth: 'kk' }],
  ['an error of another kind', failure('auth', '"auth" was refused'), { auth: 'kk' }],
])('nothing is added for %s', (_what, outcome, input) => {
  expect(told(outcome, entries, input)).toBe(outcome);
});

test('a template that renders as a name of the document’s own workload is told what to write instead', () => {
  const written = { auth: '{{ which }}' };
  expect(told(refused, entries, written, 'http', { auth: 'kk' })).toMatchObject({
    error: {
      message:
        'http: the template of `auth` renders as "kk": write `auth: kk`; the keychain of the document does not declare it (it has: shop, pg); add to its keychain: - {name: kk, kind: bearer}; then set kk token',
    },
  });
  // Data from elsewhere may be the secret itself.
  expect(told(refused, entries, written, 'http', { auth: 'other' })).toBe(refused);
});
