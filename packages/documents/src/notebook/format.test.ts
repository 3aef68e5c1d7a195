import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDocument } from '../format.ts';
import { cellSpecs } from './fixtures/notebook-texts.ts';
import { formatNotebook } from './format.ts';
import { notebookOf } from './notebook-of.ts';
import { parseNotebook } from './parse.ts';

const F = '```';
const HEAD = '%WOOFNB 1.0\nname: x\nlanguage: python\n';
const format = (text: string, fix = false) => formatNotebook(parseNotebook(text).notebook, { fix });
const check = (input: string, expected: string) => {
  expect(format(input)).toEqual({ text: expected, diagnostics: [] });
  expect(format(expected).text).toBe(expected);
};

describe('header', () => {
  test('keys are ordered together with their comments; quotes and nested order stay', () => {
    check(
      '%WOOFNB 1.0\n# top\nx-own: 1\nversion: "2"\n# about the language\nlanguage: \'python\' # main\nio_policy: {allow_shell: true, allow_files: false}\nname: "x"\n',
      '%WOOFNB 1.0\nname: "x"\n# about the language\nlanguage: \'python\' # main\nio_policy: {allow_shell: true, allow_files: false}\nversion: "2"\n# top\nx-own: 1\n',
    );
  });

  test('an alias stays after its anchor', () => {
    const text = '%WOOFNB 1.0\nmetadata: &m {a: 1}\nname: x\nlanguage: python\nparameters: *m\n';
    check(text, text);
  });

  test.each(['%WOOFNB 1.0\n', '%WOOFNB 1.0\n# only a note\n'])(
    '%j, without values, stays without',
    (text) => {
      check(text, text);
    },
  );

  test('blocks stay as they are written', () => {
    const text = `${HEAD}metadata:\n  note: |+\n    a\n\n    b\n`;
    check(text, text);
  });
});

describe('cells', () => {
  test('tokens are ordered and quoted only if needed', () => {
    check(
      `${HEAD}${F}cell kernel=k deps="" type="code" name="a b" lang="r" id="a"\n${F}`,
      `${HEAD}\n${F}cell id=a type=code name="a b" deps= lang=r kernel=k\n${F}\n`,
    );
  });

  test('line ends, blank lines, indents and the byte order mark are normalised; bodies stay', () => {
    check(
      `\uFEFF\r\n%WOOFNB  1.0\r\nname: x\r\nlanguage: python\r\n  ${F}cell id=a type=code\r\n  x = 1  \r\n\r\n\t${F} \r\n\r\n\r\n${F}cell id=b type=md\r\n${F}`,
      `${HEAD}\n${F}cell id=a type=code\n  x = 1  \n\n${F}\n\n${F}cell id=b type=md\n${F}\n`,
    );
  });

  test('the fence fits the body', () => {
    check(
      `${HEAD}\`\`\`\`\`\`cell id=a type=md\n${F}py\n${F}\n\`\`\`\`\`\`\n\`\`\`\`cell id=b type=md\nx\n\`\`\`\`\n`,
      `${HEAD}\n\`\`\`\`cell id=a type=md\n${F}py\n${F}\n\`\`\`\`\n\n${F}cell id=b type=md\nx\n${F}\n`,
    );
  });

  test('a stray fence is removed, text between cells stays', () => {
    check(
      `${HEAD}${F}\n\n${F}cell id=a type=md\n${F}\nnote\n\n  more\n${F}cell id=b type=md\n${F}\nend\n\n`,
      `${HEAD}\n${F}cell id=a type=md\n${F}\n\nnote\n\n  more\n\n${F}cell id=b type=md\n${F}\n\nend\n`,
    );
  });
});

describe('refusals', () => {
  const twice = `${HEAD}\n${F}cell id=a type=md\n${F}\n\n${F}cell id=a-2 type=md\n${F}\n\n${F}cell id=a type=md\n${F}\n`;

  test('duplicate ids are refused, and renamed on demand', () => {
    expect(format(twice).text).toBeUndefined();
    expect(format(twice).diagnostics.map(({ code }) => code)).toEqual(['notebook/duplicate-id']);
    const { text } = formatDocument(twice, { kinds: [], fix: true });
    expect(parseNotebook(text!).notebook.cells.map(({ id }) => id)).toEqual(['a', 'a-2', 'a-3']);
  });

  test.each([
    ['name: x\n', 'x.woofnb', 'notebook/missing-magic'],
    ['%WOOFNB 2.0\nname: x\n', 'x.wnb', 'notebook/unsupported-version'],
    [`${HEAD}${F}cell id=a type=md\n`, 'x', 'notebook/unclosed-cell'],
    ['%WOOFNB 1.0\nname: [\n', 'x', 'yaml/syntax'],
  ])('%j is refused', (text, file, code) => {
    const result = formatDocument(text, { file, kinds: [] });
    expect(result.text).toBeUndefined();
    expect(result.diagnostics.map((each) => each.code)).toContain(code);
  });
});

test('formatting keeps cells and is idempotent', () => {
  fc.assert(
    fc.property(cellSpecs, (specs) => {
      const notebook = notebookOf({ header: { name: 'x', language: 'python' }, cells: specs })!;
      const { text } = formatNotebook(notebook);
      const again = parseNotebook(text!).notebook;
      const unix = (body: string) => body.replaceAll(/\r+\n/g, '\n').replace(/\r+$/, '');
      expect(again.cells.map((cell) => cell.id)).toEqual(notebook.cells.map((cell) => cell.id));
      expect(again.cells.map((cell) => unix(cell.body))).toEqual(
        notebook.cells.map((cell) => unix(cell.body)),
      );
      expect(formatNotebook(again).text).toBe(text);
    }),
    { numRuns: 1000 },
  );
});
