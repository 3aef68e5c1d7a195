/**
 * Runs every case folder: `input.yaml` of the older dialect must become exactly `expected.yaml`, which v10 accepts.
 * `report.json` lists what cannot be carried over, with its places. With an error there is no `expected.yaml`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { toolSchemas } from '../../packages/documents/src/fixtures/tool-schemas.ts';
import { readDocument, upgradePlaybook } from '../../packages/documents/src/index.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const cases = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());

describe.each(cases.map((entry) => entry.name))('%s', (name) => {
  const input = readFileSync(`${folder}${name}/input.yaml`, 'utf8');
  const files = { text: `${folder}${name}/expected.yaml`, report: `${folder}${name}/report.json` };
  const { text, isOlder, diagnostics } = upgradePlaybook(input);
  const report = diagnostics.map(({ code, severity, line, column }) => ({ code, severity, line, column }));
  const fails = report.some(({ severity }) => severity === 'error');
  // A new case is written once with WOOF_WRITE_CASES=1 and then reviewed by a person.
  if (process.env.WOOF_WRITE_CASES) {
    if (!fails && !existsSync(files.text)) writeFileSync(files.text, text ?? '');
    if (report.length > 0 && !existsSync(files.report))
      writeFileSync(files.report, `${JSON.stringify(report, null, 2)}\n`);
  }

  test('reports exactly what cannot be carried over', () => {
    expect(report).toEqual(existsSync(files.report) ? JSON.parse(readFileSync(files.report, 'utf8')) : []);
    expect(existsSync(files.text)).toBe(!fails);
  });

  if (!fails)
    test('becomes the expected text, which v10 accepts and which is not upgraded again', () => {
      expect(text).toBe(readFileSync(files.text, 'utf8'));
      expect(isOlder).toBe(text !== input);
      if (input.startsWith('{')) expect(JSON.parse(text!)).toBeTypeOf('object');
      const errors = readDocument(text!, { kinds: toolSchemas }).diagnostics.filter(
        ({ severity }) => severity === 'error',
      );
      expect(errors).toEqual([]);
      expect(upgradePlaybook(text!)).toEqual({ text, isOlder: false, diagnostics: [] });
    });

  if (isOlder)
    test('is refused by v10 without an upgrade, with a hint about woof upgrade', () => {
      const { plan, diagnostics: refused } = readDocument(input, { kinds: toolSchemas });
      const hints = refused.map(({ hint }) => hint ?? '').join('\n');
      if (plan === undefined) expect(hints).toContain('woof upgrade');
    });
});
