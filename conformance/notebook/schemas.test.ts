/**
 * The published schemas (`docs/schemas/`) match the code, and agree with the linter on every example and case. `npm run
 * schemas` writes them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import {
  notebookCellSchema,
  notebookHeaderSchema,
  notebookSchema,
  parseNotebook,
  readDocument,
  schedulesSchema,
  toJsonForm,
} from '../../packages/documents/src/index.ts';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PUBLISHED = {
  'notebook-header.schema.json': notebookHeaderSchema,
  'notebook-cell.schema.json': notebookCellSchema,
  'notebook.schema.json': notebookSchema,
  'schedules.schema.json': schedulesSchema,
};

const ajv = new Ajv2020({
  allErrors: true,
  schemas: [schedulesSchema, notebookHeaderSchema, notebookCellSchema],
});
const validate = ajv.compile(notebookSchema);

function faultsOf(file: string): string[] {
  validate(toJsonForm(parseNotebook(readFileSync(file, 'utf8')).notebook));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

describe.each(Object.entries(PUBLISHED))('%s', (name, schema) => {
  const file = at(`docs/schemas/${name}`);

  test('matches the code', () => {
    if (process.env.WOOF_WRITE_SCHEMAS !== undefined) {
      mkdirSync(at('docs/schemas'), { recursive: true });
      writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
    }
    expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(schema, null, 2)}\n`);
  });
});

const examples = readdirSync(at('examples'))
  .filter((name) => /\.(woofnb|wnb)$/.test(name))
  .map((name) => at(`examples/${name}`));
const cases = readdirSync(at('conformance/notebook'))
  .map((name) => at(`conformance/notebook/${name}/input.woofnb`))
  .filter((file) => existsSync(file));

test('every example is valid', () => {
  expect(examples.length).toBeGreaterThan(0);
  for (const file of examples) expect(faultsOf(file), file).toEqual([]);
});

/** What a schema of values can express; the rest is about the text, or about the notebook as a whole. */
const OF_VALUES = [
  'missing-key',
  'missing-token',
  'wrong-type',
  'bad-value',
  'bad-id',
  'unknown-type',
  'not-one-of',
  'unknown-effect',
  'missing-cron',
  'unknown-key',
  'bad-name',
  'too-many',
];

test.each(cases)('agrees with the linter: %s', (file) => {
  const { diagnostics } = readDocument(readFileSync(file, 'utf8'), { file, kinds: [] });
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
  const faults = faultsOf(file);
  if (errors.length === 0) expect(faults).toEqual([]);
  if (errors.some((code) => OF_VALUES.includes(code.replace(/^(notebook|schedule)\//, ''))))
    expect(faults).not.toEqual([]);
});
