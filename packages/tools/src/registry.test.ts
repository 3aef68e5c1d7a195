import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createTools, toolSchemas } from './registry.ts';

it('has a tool for every kind except those that the worker performs, and one only for stages', () => {
  const kinds = toolSchemas.map((schema) => schema.kind);
  expect(new Set(kinds).size).toBe(kinds.length);
  const performed = kinds.filter((kind) => !['playbook', 'workbook'].includes(kind));
  expect([...createTools().keys()]).toEqual([...performed, 'exec']);
});

it('has the schema of each kind in a separate file', () => {
  const files = toolSchemas.map(({ kind }) => `./${kind}/${kind}-schema.ts`);
  expect(files.filter((file) => !existsSync(new URL(file, import.meta.url)))).toEqual([]);
});

it('says which fields each kind accepts', () => {
  for (const schema of toolSchemas) {
    for (const [name, field] of Object.entries(schema.fields))
      expect(field.doc, name).toMatch(/^[A-Z`].*\.$/);
  }
});

it('loads neither a dependency nor a Node module with the schemas', () => {
  const seen = new Set<string>();
  const foreign = new Set<string>();
  visit(new URL('./registry.ts', import.meta.url));
  expect([...foreign]).toEqual(['@woof/net']);
  expect(seen.size).toBeGreaterThan(5);

  function visit(file: URL): void {
    if (seen.has(file.href)) return;
    seen.add(file.href);
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/^import (?!type).*?from '(.*?)';/gms)) {
      if (name.startsWith('.')) visit(new URL(name, file));
      else foreign.add(name);
    }
  }
});

it('says which kinds show their input to others', () => {
  const keeping = toolSchemas.filter(({ keepsInput }) => keepsInput).map(({ kind }) => kind);
  expect(keeping).toEqual(['playbook']);
  const seen = toolSchemas.flatMap(({ kind, fields }) =>
    Object.entries(fields).flatMap(([name, { onCommandLine }]) => (onCommandLine ? [`${kind}.${name}`] : [])),
  );
  expect(seen).toEqual(['container.image', 'container.command', 'container.args']);
});
