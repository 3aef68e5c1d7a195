/**
 * Pages and what is said of them: `input.html`, and `expected.json` with the diagnostics of `woof check` and the files of the
 * source bundle. A new case is written once with WOOF_WRITE_CASES=1 and then read by a person.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { checkWorkbook, readWorkbook, unpackBundle } from '@woof/documents/workbook';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('.', import.meta.url));
const cases = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const gunzip = (bytes: Uint8Array, limit: number): Uint8Array =>
  gunzipSync(bytes, { maxOutputLength: limit });

function said(html: string) {
  const { title, kind, permissions, reasons, declared, bundle } = readWorkbook(html);
  const files = bundle ? (unpackBundle(bundle, gunzip).bundle?.files ?? []) : [];
  return {
    title,
    kind,
    declared,
    permissions,
    reasons,
    diagnostics: checkWorkbook(html, gunzip).map(({ code, line, column, message }) => {
      return { code, line, column, message };
    }),
    files: files.map(({ path, content, mode }) => ({
      path,
      mode: mode.toString(8),
      text: content ? Buffer.from(content).toString('utf8') : null,
    })),
  };
}

test.each(cases)('%s', (name) => {
  const html = readFileSync(`${folder}${name}/input.html`, 'utf8');
  const file = `${folder}${name}/expected.json`;
  const found = said(html);
  if (!existsSync(file) && process.env.WOOF_WRITE_CASES)
    writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
  expect(found).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  if (name.startsWith('valid-')) expect(found.diagnostics).toEqual([]);
  else if (name !== 'tags-in-strings') expect(found.diagnostics).not.toEqual([]);
});

test('every diagnostic of a page has its case', () => {
  const page = readFileSync(new URL('../../docs/diagnostics.md', import.meta.url), 'utf8');
  const [ofPages] = page
    .slice(page.indexOf('## Workbooks'))
    .split('reports the following codes about a folder');
  const documented = [...ofPages!.matchAll(/^### (\S+)/gm)].map(([, code]) => code!);
  const seen = new Set(
    cases.flatMap((name) =>
      [...readFileSync(`${folder}${name}/expected.json`, 'utf8').matchAll(/workbook\/[a-z-]+/g)].map(
        ([code]) => code,
      ),
    ),
  );
  // A page that is too large is made by the test of the program.
  expect(documented.filter((code) => !seen.has(code))).toEqual(['workbook/too-large']);
});
