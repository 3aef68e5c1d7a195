/**
 * Runs every case folder: `input.yaml` must give exactly the diagnostics of `expected.json`, and a plan that contains
 * at least its `plan`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { toolSchemas } from '../../packages/documents/src/fixtures/tool-schemas.ts';
import { readDocument } from '../../packages/documents/src/index.ts';

interface Expected {
  diagnostics: { code: string; severity: string; line: number; column: number }[];
  plan?: object;
  schedules?: object[];
}

const folder = fileURLToPath(new URL('.', import.meta.url));
const cases = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());

describe.each(cases.map((entry) => entry.name))('%s', (name) => {
  const input = readFileSync(`${folder}${name}/input.yaml`, 'utf8');
  const file = `${folder}${name}/expected.json`;
  const result = readDocument(input, { file: 'input.yaml', kinds: toolSchemas });

  test('gives the expected diagnostics and plan', () => {
    const diagnostics = result.diagnostics.map(({ code, severity, line, column }) => ({
      code,
      severity,
      line,
      column,
    }));
    // A new case is written once with WOOF_WRITE_CASES=1 and then reviewed by a person.
    if (!existsSync(file) && process.env.WOOF_WRITE_CASES) writeFileSync(file, print({ diagnostics }));
    const expected = JSON.parse(readFileSync(file, 'utf8')) as Expected;
    expect(diagnostics).toEqual(expected.diagnostics);
    expect(result.plan === undefined).toBe(diagnostics.some((each) => each.severity === 'error'));
    if (expected.schedules) expect(result.schedules).toEqual(expected.schedules);
    if (expected.plan) expect(result.plan).toMatchObject(expected.plan);
  });
});

function print(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
