import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printNotebook } from './notebook.ts';
import { isNotebookFile, parseNotebook } from './parse.ts';

const F = '```';
const parse = (text: string) => parseNotebook(text).notebook;

/** Texts that look like notebooks, so that fences, tokens and line ends are combined in every way. */
const pieces = fc.constantFrom(
  ...['%WOOFNB 1.0\n', '\uFEFF', '\n', '\r\n', '\r', ' ', '\t', F, '````', '`````', `${F}cell `, '````cell '],
  ...[
    'cell',
    'id=a ',
    'type=code ',
    'deps=',
    'name="a b" ',
    'x="\\"',
    '"',
    '=',
    'name: x\n',
    'language: python\n',
  ],
  ...['# note\n', 'x = 1\n', '  ', '\u2028', '😀', '\uD800', '\0'],
);
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
);

describe('losslessness', () => {
  test('print(parse(x)) = x for any text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(printNotebook(parse(text))).toBe(text);
      }),
      { numRuns: 3000 },
    );
  });

  test('every token is where it says', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const cell of parse(text).cells) {
          for (const token of cell.tokens) {
            expect(text.startsWith(token.raw, cell.start + token.start)).toBe(true);
            expect(token.raw.length).toBe(token.end - token.start);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('outline', () => {
  test('only a byte order mark may precede the magic line; the rest is read all the same', () => {
    const codes = (text: string) => parseNotebook(text).diagnostics.map(({ code }) => code);
    const rest = `%WOOFNB 1.0\r\nname: x\r\n${F}cell id=a type=md\r\n${F}\r\n`;
    for (const before of ['', '\uFEFF']) expect(codes(before + rest)).toEqual([]);
    for (const before of ['\n', '\uFEFF\r\n', ' ', '\uFEFF\t'])
      expect(codes(before + rest)).toEqual(['notebook/late-magic']);
    const notebook = parse(`\uFEFF\r\n \n${rest}`);
    expect(notebook.magic?.version).toEqual({ major: 1, minor: 0 });
    expect(notebook.header.name).toBe('x');
  });

  test('a longer fence may contain shorter and longer ones', () => {
    const body = `${F}\ncell\n${F}\n\`\`\`\`\`\n${F}cell id=no type=code\n`;
    const notebook = parse(
      `%WOOFNB 1.0\n\`\`\`\`cell id=a type=md\n${body}\`\`\`\`\n${F}cell id=b type=md\n${F}\n`,
    );
    expect(notebook.cells.map((cell) => cell.id)).toEqual(['a', 'b']);
    expect(notebook.cells[0]!.bodyText).toBe(body);
  });

  test('indented fences open and close; trailing blanks do not matter', () => {
    const notebook = parse(`%WOOFNB 1.0\n  ${F}cell id=a type=md\nx\n\t${F}  \r\n`);
    expect(notebook.cells[0]!.body).toBe('x');
    expect(notebook.cells[0]!.isClosed).toBe(true);
  });

  test('only the word cell opens one', () => {
    expect(parse(`%WOOFNB 1.0\n${F}cellular\n${F}\n`).cells).toEqual([]);
    expect(parse(`%WOOFNB 1.0\n${F}cell`).cells).toHaveLength(1);
    expect(parse(`%WOOFNB 1.0\nx ${F}cell id=a\n`).cells).toEqual([]);
  });

  test('the stray fence of the minimal example ends the header', () => {
    const notebook = parse(`%WOOFNB 1.0\nname: x\n${F}\n\n${F}cell id=a type=data\n1\n${F}\n`);
    expect(notebook.header.data).toEqual({ name: 'x' });
    expect(notebook.cells[0]!.before).toBe(`${F}\n\n`);
  });

  test('a fence in an indented block is part of the header', () => {
    const notebook = parse(`%WOOFNB 1.0\nmetadata:\n  note: |\n    ${F}\n    x\n    ${F}\nname: y\n`);
    expect(notebook.header.data).toEqual({ metadata: { note: `${F}\nx\n${F}\n` }, name: 'y' });
  });

  test.each([
    ['', ''],
    ['\n', ''],
    ['x\n', 'x'],
    ['x\r\n', 'x'],
    ['x\n\n', 'x\n'],
    ['\n\n', '\n'],
  ])('the lines %j are the body %j', (lines, body) => {
    expect(parse(`%WOOFNB 1.0\n${F}cell id=a type=md\n${lines}${F}\n`).cells[0]!.body).toBe(body);
  });

  test('both extensions are notebooks', () => {
    expect(['a.woofnb', 'a.wnb', 'a.WNB', 'a.yaml'].map(isNotebookFile)).toEqual([true, true, true, false]);
  });
});

describe('tokens', () => {
  const tokensOf = (line: string) =>
    parse(`%WOOFNB 1.0\n${F}cell ${line}\n${F}\n`).cells[0]!.tokens.map(({ key, value, fault }) =>
      fault ? [key, value, fault] : [key, value],
    );

  test.each<[string, string[][]]>([
    [
      'id=a type=code',
      [
        ['id', 'a'],
        ['type', 'code'],
      ],
    ],
    [
      'deps= timeout=3',
      [
        ['deps', ''],
        ['timeout', '3'],
      ],
    ],
    [
      'name="a b" deps=""',
      [
        ['name', 'a b'],
        ['deps', ''],
      ],
    ],
    [
      'name="say \\"hi\\"" x-p="C:\\\\d\\n"',
      [
        ['name', 'say "hi"'],
        ['x-p', 'C:\\d\\n'],
      ],
    ],
    ['a=b=c', [['a', 'b=c']]],
    [
      '  id=a\t type=b  ',
      [
        ['id', 'a'],
        ['type', 'b'],
      ],
    ],
    ['word', [['word', '', 'no-equals']]],
    ['name="open id=a', [['name', 'open id=a', 'unclosed-quote']]],
    [
      'name="a"b c=d',
      [
        ['name', 'a', 'text-after-quote'],
        ['c', 'd'],
      ],
    ],
    ['ä=1', [['ä', '1', 'bad-key']]],
    ['=1', [['', '1', 'bad-key']]],
  ])('%s', (line, expected) => {
    expect(tokensOf(line)).toEqual(expected);
  });
});
