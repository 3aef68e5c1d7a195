import { decodeJson, encodeJson } from '@woof/net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { setHeaderValue } from './edit-header.ts';
import { headers, json } from './fixtures/notebook-texts.ts';
import { printNotebook } from './notebook.ts';
import { notebookOf } from './notebook-of.ts';
import { parseNotebook } from './parse.ts';

const set = (text: string, key: string, value: Parameters<typeof setHeaderValue>[2]) => {
  const edited = setHeaderValue(parseNotebook(text).notebook, key, value);
  return edited && printNotebook(edited);
};
const CELL = '\n```cell id=a type=md\n```\n';

describe('setHeaderValue', () => {
  test.each<[string, string, string, Parameters<typeof setHeaderValue>[2], string]>([
    ['changes a value', 'name:   x # note\nlanguage: r\n', 'name', 'y z', 'name: y z # note\nlanguage: r\n'],
    ['adds a key', '# c\nname: x\n', 'tags', ['a'], '# c\nname: x\ntags:\n  - a\n'],
    ['adds to nothing', '', 'name', 'x', 'name: x\n'],
    ['adds to comments', '# c\n', 'name', 'x', '# c\nname: x\n'],
    ['fills an empty key', 'name:\nlanguage: r\n', 'name', 'x', 'name: x\nlanguage: r\n'],
    [
      'removes a key',
      'name: x\nenv:\n  a: 1\n# c\nlanguage: r\n',
      'env',
      undefined,
      'name: x\n# c\nlanguage: r\n',
    ],
    ['replaces a map', 'env:\n  a: 1\n  b: 2\nname: x\n', 'env', { c: 3 }, 'env:\n  c: 3\nname: x\n'],
  ])('%s', (_what, before, key, value, after) => {
    expect(set(`%WOOFNB 1.0\n${before}${CELL}`, key, value)).toBe(`%WOOFNB 1.0\n${after}${CELL}`);
  });

  test('refuses an edit that would change another value', () => {
    expect(set('%WOOFNB 1.0\nenv: &e {a: 1}\nparameters: *e\n', 'env', {})).toBeUndefined();
    expect(set('%WOOFNB 1.0\n- a\n', 'name', 'x')).toBeUndefined();
  });

  test('any value can be set', () => {
    fc.assert(
      fc.property(headers, fc.constantFrom('name', 'metadata', 'x-new'), json, (header, key, value) => {
        const notebook = notebookOf({ header: decodeJson(encodeJson(header)), cells: [] });
        fc.pre(notebook !== undefined);
        const clean = decodeJson(encodeJson(value));
        const edited = setHeaderValue(notebook, key, clean);
        expect(edited!.header.data[key]).toEqual(clean);
      }),
      { numRuns: 300 },
    );
  });
});
