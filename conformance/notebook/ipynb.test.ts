/**
 * Runs every case with an `input.ipynb`: importing it gives `expected.woofnb` and the sidecar `expected.out`, and
 * exporting those gives the input back.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  fromIpynb,
  latestEntries,
  lintNotebook,
  parseNotebook,
  parseSidecar,
  toIpynb,
} from '../../packages/documents/src/index.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const cases = readdirSync(folder).filter((name) => existsSync(`${folder}${name}/input.ipynb`));

describe.each(cases)('%s', (name) => {
  const read = (file: string) => readFileSync(`${folder}${name}/${file}`, 'utf8');
  const input = read('input.ipynb');
  const { text, sidecar, diagnostics } = fromIpynb(input, { name });

  test('gives the expected notebook and sidecar', () => {
    expect(diagnostics).toEqual([]);
    if (!existsSync(`${folder}${name}/expected.woofnb`) && process.env.WOOF_WRITE_CASES) {
      writeFileSync(`${folder}${name}/expected.woofnb`, text!);
      writeFileSync(`${folder}${name}/expected.out`, sidecar);
    }
    expect(text).toBe(read('expected.woofnb'));
    expect(sidecar).toBe(read('expected.out'));
    // Cells that start programs need a permission, which importing does not grant.
    const found = lintNotebook(parseNotebook(text!).notebook).map(({ code }) => code);
    expect(found.filter((code) => code !== 'notebook/policy-conflict')).toEqual([]);
  });

  test('exports to the original', () => {
    const outputs = latestEntries(parseSidecar(read('expected.out')).entries);
    expect(toIpynb(parseNotebook(read('expected.woofnb')).notebook, outputs)).toEqual(JSON.parse(input));
  });
});
