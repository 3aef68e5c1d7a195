/**
 * Runs every case folder: the input must give exactly the diagnostics of `expected.json`, a plan that contains at least
 * its `plan`, and the text of `expected.yaml` when it is formatted.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { formatDocument, readDocument } from '../../packages/documents/src/index.ts';

interface Expected {
  diagnostics: { code: string; severity: string; line: number; column: number }[];
  plan?: object;
  schedules?: object[];
}

const folder = fileURLToPath(new URL('.', import.meta.url));
const cases = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());

describe.each(cases.map((entry) => entry.name))('%s', (name) => {
  const json = `${folder}${name}/input.json`;
  const input = readFileSync(existsSync(json) ? json : `${folder}${name}/input.yaml`, 'utf8');
  const file = `${folder}${name}/expected.json`;
  const formatted = `${folder}${name}/expected.yaml`;

  test('gives the expected diagnostics and plan', () => {
    const result = readDocument(input, { kinds: [] });
    const diagnostics = result.diagnostics.map(({ code, severity, line, column }) => {
      return { code, severity, line, column };
    });
    // A new case is written once with WOOF_WRITE_CASES=1 and then reviewed by a person.
    if (!existsSync(file) && process.env.WOOF_WRITE_CASES) {
      writeFileSync(file, `${JSON.stringify({ diagnostics }, null, 2)}\n`);
    }
    const expected = JSON.parse(readFileSync(file, 'utf8')) as Expected;
    expect(diagnostics).toEqual(expected.diagnostics);
    expect(result.kind).toBe('workflow');
    expect(result.plan === undefined).toBe(diagnostics.some((each) => each.severity === 'error'));
    if (expected.schedules) expect(result.schedules).toEqual(expected.schedules);
    if (expected.plan) expect(result.plan).toMatchObject(expected.plan);
  });

  if (!existsSync(formatted)) return;
  test('has the expected canonical form', () => {
    expect(formatDocument(input, { kinds: [] }).text).toBe(readFileSync(formatted, 'utf8'));
  });
});
