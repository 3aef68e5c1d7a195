import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@woof/testkit/temporary-folder';
import { expect, it } from 'vitest';
import { loadKinds } from './load-kinds.ts';

function folderWith(packages: Record<string, string>): string {
  const folder = temporaryFolder('kinds');
  for (const [name, text] of Object.entries(packages)) {
    mkdirSync(join(folder, 'node_modules', name), { recursive: true });
    writeFileSync(join(folder, 'node_modules', name, 'index.js'), text);
  }
  return folder;
}

const schema = "{ kind: 'greet', summary: 's', fields: { name: { type: 'string', doc: 'Whom.' } } }";

it('loads the kinds of a package next to where woof is started', async () => {
  const folder = folderWith({
    'woof-greet': `exports.tools = [{ schema: ${schema}, create: () => ({ run: async () => ({ status: 'ok' }) }) }]`,
  });
  const [kind] = loadKinds(['woof-greet'], folder, ['http']);
  expect(kind?.schema).toMatchObject({ kind: 'greet', fields: { name: { type: 'string' } } });
  expect(await kind?.create().run({} as never, {} as never)).toEqual({ status: 'ok' });
});

it.each([
  [
    'p',
    `exports.tools = [{ create() {}, schema: ${schema}, manual: { about: 'x' } }]`,
    /its manual must be \{about, result, errors\}/,
  ],
  ['absent', '', /cannot load the package "absent" of WOOF_TOOLS.*install it/],
  ['p', 'throw new Error("boom")', /"p".*boom/],
  ['p', 'exports.x = 1', /must export "tools"/],
  ['p', 'exports.tools = [5]', /tools\[0\] of the package "p" must have "create"/],
  ['p', 'exports.tools = [{ create() {}, schema: { kind: "Bad Kind" } }]', /"kind", a word/],
  ['p', 'exports.tools = [{ create() {}, schema: { kind: "a" } }]', /"fields", a map/],
  [
    'p',
    'exports.tools = [{ create() {}, schema: { kind: "a", fields: { f: { type: "text" } } } }]',
    /the field "f"/,
  ],
  [
    'p',
    'exports.tools = [{ create() {}, schema: { kind: "http", fields: {} } }]',
    /the kind "http" already exists/,
  ],
])('reports the problem of %s: %s', (name, text, message) => {
  const folder = folderWith(name === 'absent' ? {} : { [name]: text });
  expect(() => loadKinds([name], folder, ['http'])).toThrow(message);
});

it.each([
  ['errors: [1]', /errors\[0\] must be \{kinds, when\}, where kinds is a list of words/],
  ['errors: [{ kinds: "x", when: "y" }]', /errors\[0\] must be/],
  ['errors: [{ kinds: [1], when: "y" }]', /errors\[0\] must be/],
  ['errors: [{ kinds: [], when: "y", retryable: 1 }]', /errors\[0\] must be/],
  ['about: [1]', /about\[0\] must be text or \{table\}, where the table is a list of rows of texts/],
  ['result: ["a", { table: [["b"], 1] }]', /result\[1\] must be/],
  ['details: [{ table: [[null]] }]', /details\[0\] must be/],
  ['gives: 1', /"gives" must be \{result\}/],
])('reports the problem inside a manual: %s', (more, message) => {
  const load = (part: string) => {
    const manual = `{ about: ['a', { table: [['b']] }], result: [], errors: [], example: '', ${part} }`;
    const p = `exports.tools = [{ create() {}, schema: ${schema}, manual: ${manual} }]`;
    return loadKinds(['p'], folderWith({ p }), []);
  };
  expect(load('errors: [{ kinds: ["timeout"], when: "late" }], gives: { result: 1 }')).toHaveLength(1);
  expect(() => load(more)).toThrow(message);
});
