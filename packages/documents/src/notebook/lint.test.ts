import { describe, expect, test } from 'vitest';
import { lintNotebook } from './lint.ts';
import { parseNotebook } from './parse.ts';

const F = '```';
const lint = (text: string) => lintNotebook(parseNotebook(text).notebook);
const GRAPH = '%WOOFNB 1.0\nname: x\nlanguage: python\nexecution: {order: graph}\n';
const cell = (tokens: string, body: string) => `${F}cell ${tokens}\n${body}\n${F}\n`;
const names = (...cells: string[]) =>
  lint(GRAPH + cells.join('')).map(({ code, line, message }) => [code, line, message]);

describe('what newcomers write', () => {
  test.each([
    ['type=markdown id=a', 19 - 5, 'did you mean "md"?'],
    ['id=a type=code depends=b', 24, 'did you mean "deps"?'],
    ['id = a type=code', 9, 'write `id=a`'],
    ['id=a type =code', 14, 'write `type=code`'],
    ['id=a type=code tags=x, y, z', 24, 'write `tags=x,y,z`'],
    ['id=a type=code ,', 24, 'put a value that has spaces in double quotes'],
  ])('%s', (tokens, column, hint) => {
    const found = lint(GRAPH + cell(tokens, '1'));
    expect(found.map((each) => [each.column, each.hint])).toEqual([[column, hint]]);
  });

  test('a Markdown fence in place of a cell', () => {
    const [first] = lint(`${GRAPH}\n${F}python id=a\n1\n${F}\n`);
    expect(first).toMatchObject({ code: 'notebook/other-fence', line: 6, column: 1 });
    expect(lint(`${GRAPH}x-note: |\n  ${F}python\n${cell('id=a type=code', '1')}`)).toEqual([]);
  });

  test('a permission without allow_', () => {
    const [first] = lint(`${GRAPH}io_policy: {files: true}\n${cell('id=a type=code', '1')}`);
    expect(first?.hint).toBe('did you mean "allow_files"?');
  });
});

describe('names of other languages', () => {
  const prep = cell('id=prep type=code', 'total = 3\ndef f(x): return x');
  const codes = (...cells: string[]) =>
    lint(GRAPH.replace('execution: {order: graph}\n', '') + cells.join('')).map(({ code, hint }) => [
      code,
      hint,
    ]);

  test.each([
    ['javascript', 'console.log(total)', 'prep.total'],
    ['r', 'x <- total + 1', 'prep$total'],
    ['r', 'print(total)', 'prep$total'],
  ])('%s: %s gets a hint', (lang, body, hint) => {
    expect(codes(prep, cell(`id=b type=code lang=${lang}`, body))).toEqual([
      ['notebook/name-of-other-language', `add \`prep\` to \`deps\` and write \`${hint}\``],
    ]);
  });

  test('in Python, a name of JavaScript', () => {
    expect(codes(cell('id=js type=code lang=js', 'const n = 1'), cell('id=b type=code', 'print(n)'))).toEqual(
      [['notebook/name-of-other-language', 'add `js` to `deps` and write `js["n"]`']],
    );
  });

  test.each<[string, string[]]>([
    ['it comes by its cell', [prep, cell('id=b type=code lang=js deps=prep', 'prep.total')]],
    ['it has its own', [prep, cell('id=b type=code lang=js', 'const total = 1; total')]],
    [
      'another cell has it',
      [prep, cell('id=a type=code lang=r', 'total <- 1'), cell('id=b type=code lang=r', 'total')],
    ],
    [
      'an argument, a member, a text, a comment',
      [prep, cell('id=b type=code lang=r', 'f(total = 1); x$total; "total" # total')],
    ],
    ['anything may come', [prep, cell('id=b type=code lang=r', 'load("x"); total')]],
  ])('nothing is reported: %s', (_why, cells) => {
    expect(codes(...cells)).toEqual([]);
  });

  test.each(['print(my-data)', 'x = my-data["a"]', 'x = my_data'])(
    'a data id that is not a name: %s',
    (body) => {
      const data = cell('id=my-data type=data', '[1]');
      expect(codes(data, cell('id=b type=code', body))).toEqual([
        ['notebook/data-id-not-a-name', 'write `woof["my-data"]`'],
      ]);
      expect(codes(data, cell('id=b type=code lang=r', body))).toEqual([
        ['notebook/data-id-not-a-name', 'write `woof[["my-data"]]`'],
      ]);
      expect(codes(data, cell('id=b type=code', 'my = 2; data = 1; my-data'))).toEqual([]);
      expect(codes(data, cell('id=b type=code', 'my_data = 2; my_data'))).toEqual([]);
      expect(codes(data, cell('id=b type=code', 'woof["my-data"]'))).toEqual([]);
    },
  );
});

describe('data that is CSV', () => {
  const codes = (body: string) => lint(GRAPH + cell('id=d type=data', body)).map(({ code }) => code);

  test.each([
    'name,n\nAda,1\nBob,2',
    'a;b\n1;2',
    'a\tb\n1\t2',
    'a|b\n1|2',
    'a, b\n1, 2',
    '"a, b",c\n"x",2\n',
    '# from the shop\na,b\n1,2',
    'a,b,c\n1,2\n3,4,5',
    'name,text\nAda,"two\nlines"',
  ])('%j is refused', (body) => {
    expect(codes(body)).toEqual(['notebook/csv-data']);
  });

  test.each([
    '[1,\n2]',
    '- {a: 1, b: 2}\n- {a: 3, b: 4}',
    'a: 1, 2\nb: 3, 4',
    '|\n  a,b\n  1,2',
    'one text\nin two lines',
    'SELECT a,b,c\nFROM t,u',
    'https://a.example/?a=1;b=2\nhttps://a.example/?c=3;d=4;e=5',
    'one text, with a comma\nand two, in the second, line',
    'a,b',
  ])('%j is data', (body) => {
    expect(codes(body)).toEqual([]);
  });
});

describe('names outside deps', () => {
  const prep = cell('id=prep type=code', 'rows = [1]');

  test('a name of a cell that is not a dep is reported at its place', () => {
    expect(names(prep, cell('id=b type=code', 'print(1)\nprint(rows)'))).toEqual([
      ['notebook/name-outside-deps', 10, 'cell "prep" defines `rows`, but this cell does not depend on it'],
    ]);
  });

  test.each<[string, string[]]>([
    ['a dep has it', [prep, cell('id=b type=code deps=prep', 'rows')]],
    [
      'a dep of a dep has it',
      [prep, cell('id=m type=code deps=prep', '1'), cell('id=b type=test deps=m', 'rows')],
    ],
    ['the cell has its own', [prep, cell('id=b type=code', 'rows = []\nrows')]],
    [
      'two cells have it, one a dep',
      [prep, cell('id=p type=code', 'rows = 2'), cell('id=b type=code deps=p', 'rows')],
    ],
    ['a star import may bring it', [prep, cell('id=b type=code', 'from m import *\nrows')]],
    [
      'a dep is not plain Python',
      [prep, cell('id=m type=code', '%run x'), cell('id=b type=code deps=m', 'rows')],
    ],
    ['an isolated cell shares nothing', [prep, cell('id=b type=code sidefx=isolated', 'rows')]],
    [
      'the definer waits for the user',
      [cell('id=p type=code deps=b', 'rows = 1'), cell('id=b type=code', 'rows')],
    ],
    ['only called later', [prep, cell('id=b type=code', 'def f(): return rows')]],
  ])('nothing is reported: %s', (_why, cells) => {
    expect(names(...cells)).toEqual([]);
  });

  test('a data cell defines its id', () => {
    const cfg = cell('id=cfg type=data', '{}');
    expect(names(cfg, cell('id=b type=code', 'cfg["a"]'))).toHaveLength(1);
    expect(names(cfg, cell('id=b type=code deps=cfg', 'cfg["a"]'))).toEqual([]);
  });

  test.each([
    ['type=bash', `echo "\${woof["days"]}"`],
    ['type=bash', `echo "\${woof[days]}"`],
    ['type=code lang=bash', `echo "\${woof[days]}"`],
    ['type=code lang=r', 'print(woof$days)'],
    ['type=code lang=js', 'woof["days"]'],
  ])('a data cell is read from woof: %s, %s', (tokens, body) => {
    const text = `${GRAPH}io_policy: {allow_shell: true, allow_files: true}\n${cell('id=days type=data', '[1]')}`;
    const reader = (deps: string) =>
      text + cell(`id=b ${tokens}${deps}${tokens.includes('bash') ? ' sidefx=shell' : ''}`, body);
    expect(lint(reader('')).map(({ code }) => code)).toEqual(['notebook/name-outside-deps']);
    expect(lint(reader(' deps=days'))).toEqual([]);
  });

  test('of JavaScript, whichever language the header names', () => {
    const js = (tokens: string, body: string) => cell(`${tokens} lang=js`, body);
    const setUp = js('id=setup type=code', 'const scale = 2');
    const told = [
      ['notebook/name-outside-deps', expect.any(Number), expect.stringContaining('defines `scale`')],
    ];
    expect(names(setUp, js('id=b type=code', '[1].map((x) => x * scale)'))).toEqual(told);
    expect(names(setUp, js('id=b type=code deps=setup', 'scale'))).toEqual([]);
    expect(names(setUp, cell('id=b type=code', 'print(scale)')).map(([code]) => code)).toEqual([
      'notebook/name-of-other-language',
    ]);
    const all = GRAPH.replace('python', 'javascript') + setUp.replace(' lang=js', '');
    expect(lint(all + cell('id=b type=code', 'scale'))).toHaveLength(1);
    expect(lint(all + cell('id=b type=code', 'globalThis.scale = 1; scale'))).toEqual([]);
  });

  test('of Python in a notebook whose header names another language', () => {
    const text = GRAPH.replace('python', 'r') + prep.replace(' type', ' lang=python type');
    expect(lint(text + cell('id=b lang=py type=code', 'rows'))).toHaveLength(1);
  });

  test('nothing is reported if cells run in file order', () => {
    expect(lint(`${GRAPH.replace('graph', 'linear')}${prep}${cell('id=b type=code', 'rows')}`)).toEqual([]);
  });
});

test.each([
  ['network', 'did you mean "net"?'],
  ['files', 'did you mean "fs"?'],
  ['shel', 'did you mean "shell"?'],
  ['magic', 'use one of "none", "fs", "net", "shell", "isolated"'],
])('the effect "%s" gets a hint', (word, hint) => {
  const text = `%WOOFNB 1.0\nname: x\nlanguage: python\n${cell(`id=a type=code sidefx=${word}`, '1')}`;
  expect(lint(text)).toMatchObject([
    { code: 'notebook/unknown-effect', message: `no effect "${word}"`, hint },
  ]);
});

test.each([
  [
    'data',
    'a: b: c',
    'is not valid JSON or YAML: this value contains ": ", so YAML reads a second key in it',
  ],
  ['viz', '\t{"a": tru}', "is not valid JSON: unexpected token '}'"],
  ['viz', '{"a": 1,}', 'is not valid JSON: expected double-quoted property name'],
])('a body of type %s says what is wrong: %j', (type, body, said) => {
  const text = `%WOOFNB 1.0\nname: x\nlanguage: python\n${cell(`id=a type=${type}`, body)}`;
  expect(lint(text)).toMatchObject([{ message: `the body of cell "a" ${said}`, hint: expect.any(String) }]);
});

test('a bash cell that io_policy does not allow gets another type, for its effect comes from it', () => {
  const [found] = lint(`%WOOFNB 1.0\nname: x\nlanguage: python\n${cell('id=a type=bash', 'ls')}`);
  expect(found).toMatchObject({ code: 'notebook/policy-conflict', column: 19, endColumn: 23 });
  expect(found!.hint).toMatch(/`allow_shell: true`.* or change the type of the cell$/);
});

test('messages say what, where, got and how to fix it', () => {
  const text = `%WOOFNB 1.0\nname: x\nlanguage: python\n${cell('id=a type=code retries=-1 sidefx=net', '1')}`;
  expect(lint(text)).toEqual([
    {
      code: 'notebook/bad-value',
      severity: 'error',
      message: '`retries` must be a whole number, 0 or more, got "-1"',
      line: 4,
      column: 32,
      endColumn: 34,
    },
    {
      code: 'notebook/policy-conflict',
      severity: 'error',
      message: 'cell "a" declares the effect net, but `io_policy` does not allow it',
      hint: 'add `allow_network: true` to `io_policy` in the header, or remove the effect',
      line: 4,
      column: 42,
      endColumn: 45,
    },
  ]);
});

test('a hidden name is found among 10,000 cells, in a chain too', () => {
  const chain = Array.from({ length: 10_000 }, (_, i) =>
    cell(`id=c${i} type=code${i > 0 ? ` deps=c${i - 1}` : ''}`, i > 0 ? `x${i} = x0 + x${i - 1}` : 'x0 = 1'),
  );
  const hidden = [cell('id=other type=code', 'y = 1'), cell('id=taker type=code deps=c9999', 'print(x7, y)')];
  const found = lint(GRAPH + chain.join('') + hidden.join(''));
  expect(found.map(({ code }) => code)).toEqual(['notebook/name-outside-deps']);
});

test.each<[string, (size: number) => string]>([
  [
    'deps that do not exist',
    (size) =>
      cell(`id=a type=code deps=${Array.from({ length: 20 * size }, (_, i) => `n${i}`).join(',')}`, '1'),
  ],
  [
    'cells in circles',
    (size) =>
      Array.from({ length: 3 * size }, (_, i) =>
        cell(`id=c${i} type=code deps=c${(i + 1) % (3 * size)},c${i}`, 'x = y'),
      ).join(''),
  ],
  ['fences', (size) => F.repeat(300 * size)],
  [
    'targets and brackets',
    (size) => cell('id=a type=code', `[${'a,'.repeat(300 * size)}] = ${'('.repeat(100 * size)}`),
  ],
])('the cost of many %s follows their number', (_, textOf) => {
  const cost = (size: number) => {
    const text = GRAPH + textOf(size);
    const before = process.cpuUsage().user;
    lint(text);
    return process.cpuUsage().user - before;
  };
  // Eight times as many have 64 times as many pairs. The system may count time in ticks of 4 ms.
  expect(cost(1000) / Math.max(cost(125), 4000)).toBeLessThan(30);
});

test('an unreadable header reports only that: what it allows is not known', () => {
  const text = `%WOOFNB 1.0\nname: x\nio_policy: {allow_files: true}\nparameters: [1\n${cell('id=a type=code sidefx=fs', '1')}`;
  expect(lint(text).map(({ code }) => code.split('/')[0])).toEqual(['yaml']);
});

test('bash that does not declare shell is reported, whatever says that it is bash', () => {
  const told = (header: string, tokens: string) =>
    lint(`%WOOFNB 1.0\nname: x\n${header}\n${cell(`id=a ${tokens}`, 'ls')}`).map(
      ({ code, severity, line, column }) => [code, severity, line, column],
    );
  const warned = (line: number, column: number) => [['notebook/undeclared-shell', 'warning', line, column]];
  const allowed = 'language: python\nio_policy: {allow_shell: true, allow_files: true}';
  expect(told('language: python', 'type=code lang=bash')).toEqual(warned(4, 29));
  expect(told('language: bash', 'type=test')).toEqual(warned(4, 19));
  expect(told(allowed, 'type=code lang=bash sidefx=none')).toEqual(warned(5, 41));
  expect(told(allowed, 'type=code lang=bash sidefx=shell')).toEqual([]);
  expect(told(allowed, 'type=bash')).toEqual([]);
  expect(told(allowed, 'type=code lang=bash kernel=bash')).toEqual([]);
  expect(told(allowed, 'type=code lang=bash disabled=true')).toEqual([]);
  expect(told('language: python', 'type=code lang=bash sidefx=shell')).toEqual([
    ['notebook/policy-conflict', 'error', 4, 41],
  ]);
});

test('a duplicate key names the line of the first, in the header and in data', () => {
  const text = `%WOOFNB 1.0\nname: x\nlanguage: python\nname: y\n${cell('id=a type=data', 'k: 1\nk: 2')}`;
  expect(lint(text).map(({ line, column, message }) => [line, column, message])).toEqual([
    [4, 1, 'the key "name" is already used on line 2'],
    [7, 1, 'the body of cell "a" is not valid JSON or YAML: the key "k" is already used on line 6'],
  ]);
  expect(lint(`\n\n${text}`)[1]).toMatchObject({
    line: 6,
    message: 'the key "name" is already used on line 4',
  });
});

describe('what env asks for', () => {
  const told = (env: string) =>
    lint(`%WOOFNB 1.0\nname: x\nlanguage: python\nenv: ${env}\n${cell('id=a type=code', '1')}`).map(
      ({ code, message, line, column }) => [code, message, line, column],
    );
  const wrong = (message: string, column: number) => [['notebook/wrong-type', message, 4, column]];

  test('requirements are a list of texts', () => {
    const must = '`env.requirements` must be a list of text, got';
    expect(told('{requirements: numpy}')).toEqual(wrong(`${must} "numpy"`, 21));
    expect(told('{requirements: {numpy: 2}}')).toEqual(wrong(`${must} a map`, 21));
    expect(told('{requirements: [numpy, 2]}')).toEqual(wrong(`${must} the number 2`, 29));
    expect(told('{requirements: ["numpy>=2"], python: 3.11, own: [1]}')).toEqual([]);
    expect(told('{requirements: , container: }')).toEqual([]);
  });

  test('a container has an image', () => {
    const must = '`env.container` must be a map with an image, got';
    expect(told('{container: alpine}')).toEqual(wrong(`${must} "alpine"`, 18));
    expect(told('{container: {}}')).toEqual(wrong(`${must} a map without one`, 18));
    expect(told('{container: {image: 3}}')).toEqual(
      wrong('`env.container.image` must be text, got the number 3', 26),
    );
    expect(told('{container: {image: "python:3.12"}}')).toEqual([]);
  });
});

describe('bodies that are data', () => {
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const told = (type: string, body: string) =>
    lint(GRAPH + cell(`id=a type=${type}`, body)).map(({ code, severity, line, column }) => [
      code,
      severity,
      line,
      column,
    ]);

  test.each(['data', 'viz'])('%s is not nested without limit', (type) => {
    expect(told(type, deep(200))).toEqual([]);
    for (const levels of [201, 50_000])
      expect(told(type, `\n ${deep(levels)}`)).toEqual([[`notebook/bad-${type}`, 'error', 7, 202]]);
    expect(told(type, `["${'\\\\n'.repeat(6_000_000)}", "${'x'.repeat(12_000_000)}"]`)).toEqual([]);
    expect(told(type, `{"a": "${deep(300)}\\""}`)).toEqual([]);
  });

  test('a number over 4300 digits is reported at its place', () => {
    const tooLong = '1'.repeat(4301);
    expect(told('data', `{"a": 9007199254740993,\n "b": [-${tooLong}]}`)).toEqual([
      ['notebook/bad-data', 'error', 7, 8],
    ]);
    expect(told('data', `a: 9007199254740993\nb: [-${tooLong}]`)).toEqual([
      ['notebook/bad-data', 'error', 7, 5],
    ]);
    const exact = '9007199254740991, 0.1234567890123456789, 1e300, "9007199254740993"';
    expect(told('data', `[${exact}]`)).toEqual([]);
    expect(told('data', `- [${exact}]`)).toEqual([]);
  });

  test('an infinite number is not allowed in JSON', () => {
    expect(told('data', '{"a": 1e400}')).toEqual([['notebook/bad-data', 'error', 6, 7]]);
    expect(told('data', '[9007199254740993, 1e400]')).toEqual([['notebook/bad-data', 'error', 6, 20]]);
    expect(told('data', 'a: -1e400')).toEqual([['notebook/bad-data', 'error', 6, 4]]);
  });
});
