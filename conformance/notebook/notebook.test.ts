/**
 * Runs every case folder: `input.woofnb` must give exactly the diagnostics of `expected.json`, print unchanged, have
 * the canonical form `expected.woofnb`, and survive a round trip through Jupyter's format.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  formatDocument,
  fromIpynb,
  graphOfDocument,
  parseNotebook,
  printNotebook,
  readDocument,
  toIpynb,
  toJsonForm,
} from '../../packages/documents/src/index.ts';

interface Expected {
  diagnostics: { code: string; severity: string; line: number; column: number }[];
  graph?: object;
  schedules?: object[];
  json?: object;
  /** Whether the case expects formatting to refuse it. */
  refused?: true;
}

const folder = fileURLToPath(new URL('.', import.meta.url));
const cases = readdirSync(folder).filter((name) => existsSync(`${folder}${name}/input.woofnb`));
const options = { file: 'input.woofnb', kinds: [] };
const writes = process.env.WOOF_WRITE_CASES !== undefined;

describe.each(cases)('%s', (name) => {
  const path = (file: string) => `${folder}${name}/${file}`;
  const input = readFileSync(path('input.woofnb'), 'utf8');
  const { notebook } = parseNotebook(input);

  test('gives the expected diagnostics, graph and JSON', () => {
    const result = readDocument(input, options);
    const diagnostics = result.diagnostics.map(({ code, severity, line, column }) => ({
      code,
      severity,
      line,
      column,
    }));
    // A new case is written once with WOOF_WRITE_CASES=1 and then reviewed by a person.
    if (!existsSync(path('expected.json')) && writes) {
      writeFileSync(path('expected.json'), print({ diagnostics }));
    }
    const expected = JSON.parse(readFileSync(path('expected.json'), 'utf8')) as Expected;
    expect(result.kind).toBe('notebook');
    expect(diagnostics).toEqual(expected.diagnostics);
    if (expected.schedules) expect(result.schedules).toEqual(expected.schedules);
    if (expected.graph) expect(graphOfDocument(input, options).graph).toEqual(expected.graph);
    if (expected.json) expect(toJsonForm(notebook)).toEqual(expected.json);
    if (expected.refused) expect(formatDocument(input, options).text).toBeUndefined();
  });

  test('prints unchanged', () => {
    expect(printNotebook(notebook)).toBe(input);
  });

  test('has the expected canonical form', () => {
    const { text } = formatDocument(input, options);
    if (text === undefined) return;
    expect(formatDocument(text, options).text).toBe(text);
    if (existsSync(path('expected.woofnb'))) expect(text).toBe(readFileSync(path('expected.woofnb'), 'utf8'));
  });

  test('survives a round trip through Jupyter', () => {
    if (readDocument(input, options).diagnostics.some(({ severity }) => severity === 'error')) return;
    const { text } = fromIpynb(JSON.stringify(toIpynb(notebook)));
    expect({ ...toJsonForm(parseNotebook(text!).notebook) }).toEqual(toJsonForm(notebook));
  });
});

function print(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
