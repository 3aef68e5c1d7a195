import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const tables = ['', 'yaml/', 'playbook/', 'notebook/', 'workflow/', 'workbook/', 'schedules/'].map(
  (folder) => `./${folder}diagnostics.ts`,
);
const page = readFileSync(new URL('../../../docs/diagnostics.md', import.meta.url), 'utf8');

const made = tables.flatMap((table) => {
  const text = readFileSync(new URL(table, import.meta.url), 'utf8');
  const calls = text.matchAll(
    /(error|warning)\(\s*'((?:document|yaml|playbook|notebook|workflow|workbook|schedule)\/[a-z-]+)'/g,
  );
  return [...calls].map(([, severity, code]) => ({ severity, code: code! }));
});
const entries = [...page.matchAll(/^### (\S+)\n\n(Error|Warning)\. /gm)].map(([, code, severity]) => ({
  severity: severity!.toLowerCase(),
  code: code!,
}));
const byCode = (a: { code: string }, b: { code: string }) => (a.code < b.code ? -1 : 1);

describe('the page of diagnostics', () => {
  test('has one entry per code, with its severity, and none in these areas that nothing reports', () => {
    const ours = entries.filter(({ code }) =>
      /^(document|yaml|playbook|notebook|workflow|workbook|schedule)\//.test(code),
    );
    expect(ours.sort(byCode)).toEqual(made.sort(byCode));
  });

  test('names each code once', () => {
    expect(new Set(made.map(({ code }) => code)).size).toBe(made.length);
  });
});
