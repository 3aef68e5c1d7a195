import { decodeJson, encodeJson, isObject, type Json, type JsonObject } from '@woof/net';
import { NOT_FINITE } from '@woof/testkit/exact-values';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bodies, cellSpecs, headers, json } from '../fixtures/notebook-texts.ts';
import { lintNotebook } from '../lint.ts';
import type { Notebook } from '../notebook.ts';
import { notebookOf } from '../notebook-of.ts';
import { parseNotebook } from '../parse.ts';
import { latestEntries, parseSidecar } from '../sidecar.ts';
import { fromIpynb } from './from-ipynb.ts';
import { toIpynb } from './to-ipynb.ts';

interface IpynbCell {
  cell_type: string;
  id?: string;
  metadata: JsonObject;
  source: string | string[];
  outputs?: Json[];
  execution_count?: number | null;
  attachments?: Json;
}
interface Ipynb {
  cells: IpynbCell[];
  metadata: JsonObject;
  nbformat: number;
  nbformat_minor: number;
}

const dictionary = fc.dictionary(fc.string(), json, { maxKeys: 3 });
const metadata = fc.oneof(
  dictionary,
  fc.record({
    collapsed: fc.boolean(),
    scrolled: fc.constantFrom(true, 'auto'),
    execution: dictionary,
    ExecuteTime: fc.record({ end_time: fc.string() }),
    tags: fc.constant(['a']),
  }),
  fc.record({
    tags: fc.array(fc.oneof(fc.string(), fc.constantFrom('a', 'parameters')), { maxLength: 3 }),
    x: json,
  }),
  fc.constantFrom({ tags: [] }, { __proto__x: 1 }, JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}'), {
    name: 'cell',
    '<<': 'merge',
    jupyter: { source_hidden: true },
  }),
);
const outputs = fc.array(
  fc.oneof(
    fc.record({
      output_type: fc.constant('stream'),
      name: fc.constant('stdout'),
      text: fc.array(fc.string()),
    }),
    fc.record({ output_type: fc.constant('display_data'), data: dictionary, metadata: dictionary }),
    fc.record({
      output_type: fc.constant('execute_result'),
      data: dictionary,
      metadata: dictionary,
      execution_count: fc.nat(),
    }),
    fc.record({
      output_type: fc.constant('error'),
      ename: fc.string(),
      evalue: fc.string(),
      traceback: fc.array(fc.string()),
    }),
  ),
  { maxLength: 3 },
);
const sources = fc.oneof(
  bodies,
  bodies.map((text) => text.split(/(?<=\n)/)),
);
const ids = fc.option(fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/), { nil: undefined });
const cells = fc.oneof(
  fc.record({
    cell_type: fc.constant('code'),
    id: ids,
    metadata,
    source: sources,
    outputs,
    execution_count: fc.option(fc.nat()),
  }),
  fc.record({
    cell_type: fc.constantFrom('markdown', 'raw'),
    id: ids,
    metadata,
    source: sources,
    attachments: fc.option(dictionary, { nil: undefined }),
  }),
);
const files = fc
  .record({ cells: fc.array(cells, { maxLength: 6 }), metadata: dictionary, nbformat_minor: fc.nat(5) })
  .map((file) => decodeJson<Ipynb>(encodeJson({ ...file, nbformat: 4 })));

const importFile = (file: unknown) => {
  const { text, sidecar, diagnostics } = fromIpynb(file, { name: 'file' });
  // Generated files have some ids twice.
  expect(diagnostics.filter(({ message }) => !message.includes('should be unique'))).toEqual([]);
  return { notebook: parseNotebook(text!).notebook, outputs: latestEntries(parseSidecar(sidecar).entries) };
};
const roundTrip = (file: unknown) => {
  const { notebook, outputs: found } = importFile(file);
  return decodeJson<Ipynb>(encodeJson(toIpynb(notebook, found)));
};
const essence = (cell: IpynbCell) => ({
  type: cell.cell_type,
  source: [cell.source].flat().join(''),
  metadata: cell.metadata,
  outputs: cell.outputs,
  execution_count: cell.execution_count,
  attachments: cell.attachments,
});

describe('ipynb → woofnb → ipynb', () => {
  test('keeps types, sources, metadata, outputs, counts and attachments of any file', () => {
    fc.assert(
      fc.property(files, (file) => {
        const back = roundTrip(file);
        expect(back.cells.map(essence)).toEqual(file.cells.map(essence));
        expect(back.metadata).toEqual(file.metadata);
        const hasIds = file.cells.some(({ id }) => id !== undefined);
        expect([back.nbformat, back.nbformat_minor]).toEqual([4, hasIds ? 5 : file.nbformat_minor]);
      }),
      { numRuns: 500 },
    );
  });

  test('makes ids that are present, valid and unique, and a notebook without errors', () => {
    fc.assert(
      fc.property(files, (file) => {
        const back = roundTrip({ ...file, nbformat_minor: 5 });
        expect(new Set(back.cells.map(({ id }) => id)).size).toBe(file.cells.length);
        for (const { id } of back.cells) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        const errors = lintNotebook(importFile(file).notebook).filter(({ severity }) => severity === 'error');
        expect(errors.map(({ code }) => code)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('transient metadata', () => {
  const view = { collapsed: true, jupyter: { source_hidden: true }, scrolled: 'auto' };
  const timed = { ...view, ExecuteTime: { end_time: '1' }, execution: { 'iopub.status.idle': '2' } };
  const file = {
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { widgets: { state: 1 }, mine: 1 },
    cells: [
      { cell_type: 'markdown', id: 'm', metadata: timed, source: ['# T'] },
      {
        cell_type: 'code',
        id: 'c',
        metadata: timed,
        source: ['1'],
        execution_count: 1,
        outputs: [{ output_type: 'stream', name: 'stdout', text: ['x'] }],
      },
    ],
  };

  test('leaves the source, goes to the sidecar, and comes back', () => {
    const { text, sidecar } = fromIpynb(file);
    expect(text).not.toMatch(/collapsed|scrolled|ExecuteTime|execution|widgets/);
    expect(text).toMatch(/source_hidden/);
    expect(sidecar).toMatch(/"ExecuteTime"/);
    expect(roundTrip(file)).toEqual(file);
  });

  test('of an earlier run does not come back for a cell that ran since; the view does', () => {
    const { notebook, outputs: found } = importFile(file);
    found.set('c', { cell: 'c', timestamp: '2026-01-01T00:00:00.000Z', outputs: [] });
    const { cells: back } = decodeJson<Ipynb>(encodeJson(toIpynb(notebook, found)));
    expect(back.map((cell) => cell.metadata)).toEqual([timed, view]);
  });
});

/** As Jupyter saves it. */
const sorted = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
};
const SETUP = 'parameters = {}\nwoof = type("Woof", (dict,), {"parameters": parameters})()';

describe('woofnb → ipynb → woofnb', () => {
  const essenceOf = (notebook: Notebook) => ({
    header: notebook.header.data,
    cells: notebook.cells.map((cell) => ({
      tokens: cell.tokens.map(({ key, value }) => [key, value]),
      body: cell.body,
    })),
  });

  test('keeps header, tokens and bodies of any notebook, also with sorted keys, as Jupyter saves it', () => {
    fc.assert(
      fc.property(headers, cellSpecs, (header, specs) => {
        const notebook = notebookOf({ header: decodeJson(encodeJson(header)), cells: specs });
        fc.pre(notebook !== undefined);
        const file = decodeJson<Json>(encodeJson(toIpynb(notebook)));
        expect(essenceOf(importFile(file).notebook)).toEqual(essenceOf(notebook));
        expect(essenceOf(importFile(sorted(file)).notebook)).toEqual(essenceOf(notebook));
      }),
      { numRuns: 500 },
    );
  });

  test('keeps comments of the header, text between cells, and ids that Jupyter cannot have', () => {
    const F = '```';
    const text = `%WOOFNB 1.0\n# why\nname: x\nlanguage: python\nio_policy: {allow_shell: true}\n\nsome text\n\n${F}cell type=bash id=a.b deps= timeout=3 sidefx=shell\nls\n${F}\n\n  end\n`;
    const file = toIpynb(
      parseNotebook(text.replace('\n\nsome', `\n${F}\n\n${F}cell id=z type=md\n${F}\n\nsome`)).notebook,
    );
    expect(fromIpynb(file).text).toBe(text.replace('\n\nsome', `\n\n${F}cell id=z type=md\n${F}\n\nsome`));
  });

  test('writes the tokens under metadata.woof, and what Jupyter needs', () => {
    const F = '```';
    const { notebook } = parseNotebook(
      `%WOOFNB 1.0\nname: x\nlanguage: python\n${F}cell id=a type=data deps= timeout=30 tags=x,y\n1\n${F}\n`,
    );
    const entry = {
      cell: 'a',
      timestamp: 't',
      outputs: [{ output_type: 'execute_result', data: { 'text/plain': '1' } }],
    };
    expect(toIpynb(notebook, new Map([['a', entry]]))).toEqual({
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {
        kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' },
        language_info: { name: 'python', file_extension: '.py' },
        woof: {
          version: '1.0',
          header: { name: 'x', language: 'python' },
          header_text: 'name: x\nlanguage: python',
        },
      },
      cells: [
        {
          cell_type: 'code',
          id: 'setup-1',
          metadata: { woof: { made: 'setup', source: SETUP } },
          source: SETUP.split(/(?<=\n)/),
          execution_count: null,
          outputs: [],
        },
        {
          cell_type: 'code',
          id: 'a',
          metadata: {
            tags: ['x', 'y'],
            woof: { id: 'a', type: 'data', deps: '', timeout: '30', tags: 'x,y' },
          },
          source: ['a = woof["a"] = 1'],
          execution_count: null,
          outputs: [
            {
              output_type: 'execute_result',
              data: { 'text/plain': '1' },
              metadata: {},
              execution_count: null,
            },
          ],
        },
      ],
    });
  });
});

describe('what runs in Jupyter', () => {
  const F = '```';
  const cell = (tokens: string, body: string) => `\n${F}cell ${tokens}\n${body}\n${F}\n`;
  const head = (more = '') => `%WOOFNB 1.0\nname: n\nlanguage: python\n${more}`;
  const exported = (text: string) => decodeJson<Ipynb>(encodeJson(toIpynb(parseNotebook(text).notebook)));
  const sources = (file: Ipynb) => file.cells.map(({ source }) => [source].flat().join(''));

  test.each([
    [
      'JSON, as it is written',
      'd',
      '{"a": [true, null],\n "true": 1.0}',
      'd = woof["d"] = {"a": [True, None],\n "true": 1.0}',
    ],
    ['YAML', 'd', 'a: true', 'd = woof["d"] = {\n  "a": True\n}'],
    ['an id that is no name', 'my-data', '[1]', 'woof["my-data"] = [1]'],
    ['a keyword', 'class', '[1]', 'woof["class"] = [1]'],
    ['escapes that Python reads otherwise', 'd', '"\\/\\ud83d\\ude00"', 'd = woof["d"] = "/😀"'],
  ])('data binds its name: %s', (_, id, body, source) => {
    const text = head() + cell(`id=${id} type=data`, body);
    const file = exported(text);
    expect(sources(file).at(-1)).toBe(source);
    expect(fromIpynb(file).text).toBe(text);
  });

  test.each([
    ['type=bash', '%%bash\n'],
    ['type=code lang=r', '%%R\n'],
    ['type=test lang=js', '%%javascript\n'],
    ['type=code lang=julia', '%%julia\n'],
    ['type=code disabled=true', '%%script false --no-raise-error\n'],
    ['type=bash disabled=true', '%%script false --no-raise-error\n%%bash\n'],
    ['type=code lang=py', ''],
  ])('a cell with %s starts with %j', (tokens, first) => {
    const text = head() + cell(`id=a ${tokens}`, '%%bash\nx');
    const file = exported(text);
    expect(sources(file).at(-1)).toBe(`${first}%%bash\nx`);
    expect(fromIpynb(file).text).toBe(text);
  });

  test('a chart displays its specification with the data that it names', () => {
    const text = head() + cell('id=v type=viz', '{"data": {"name": "t"}, "mark": "bar"}');
    const file = exported(text);
    expect(sources(file)).toEqual([
      'from IPython.display import display\ndisplay({"application/vnd.vegalite.v5+json": {**{"data": {"name": "t"}, ' +
        '"mark": "bar"}, "datasets": {"t": getattr(t, "to_dict", lambda _: t)("records")}}}, raw=True)',
    ]);
    expect(fromIpynb(file).text).toBe(text);
  });

  test('cells are in an order in which they run, and come back in that of the notebook', () => {
    const text = `${head('execution: {order: graph}\n')}${cell('id=m type=md', 'b')}${cell('id=b type=code deps=a', 'b')}${cell('id=a type=code', 'a')}`;
    const file = exported(text);
    expect(file.cells.map(({ id }) => id)).toEqual(['a', 'm', 'b']);
    expect(fromIpynb(file).text).toBe(text);
    const more = { ...file.cells[0]!, id: 'new', metadata: {}, source: ['new'] };
    const { notebook } = importFile({ ...file, cells: file.cells.toSpliced(1, 0, more) });
    expect(notebook.cells.map(({ id }) => id)).toEqual(['m', 'b', 'a', 'new']);
  });

  const parameters = 'parameters: {n: 3, "my key": [true], of: {a: null}}\n';

  test('parameters are a cell with that tag, for papermill, and come back', () => {
    const text = head(parameters) + cell('id=a type=code', 'parameters["n"]');
    const file = exported(text);
    expect(file.cells[0]).toMatchObject({ metadata: { tags: ['parameters'] } });
    expect(sources(file)).toEqual([
      'n = 3\nof = {"a":None}',
      'parameters = {"n": n, "my key": [True], "of": of}\nwoof = type("Woof", (dict,), {"parameters": parameters})()\ndel n, of',
      'parameters["n"]',
    ]);
    expect(fromIpynb(file).text).toBe(text);
  });

  test('values that were changed in Jupyter are those of the notebook; code stays code', () => {
    const file = exported(head(parameters) + cell('id=d type=data', '[1]'));
    const [first, setup, data] = file.cells as [IpynbCell, IpynbCell, IpynbCell];
    const changed = (now: string, value: string) =>
      importFile({
        ...file,
        cells: [{ ...first, source: now }, setup, { ...data, source: `d = woof["d"] = ${value}` }],
      }).notebook;
    const values = changed('n = 4\n# why\nm = "x"', '[2]');
    expect(values.header.parameters).toEqual({ n: 4, 'my key': [true], m: 'x' });
    expect(values.cells.map(({ type, body }) => [type, body])).toEqual([['data', '[2]']]);
    const code = changed('n = f()', 'g()');
    expect(code.header.parameters).toMatchObject({ n: 3 });
    expect(code.cells.map(({ type, body }) => [type, body])).toEqual([
      ['code', 'n = f()'],
      ['code', 'd = woof["d"] = g()'],
    ]);
  });

  test.each([
    ['%%bash\nls', 'type=bash', 'ls'],
    ['%%sh \nls', 'type=bash x-jupyter="{\\"magic\\":\\"%%sh \\"}"', 'ls'],
    ['%%bash\r\nls', 'type=bash x-jupyter="{\\"magic\\":\\"%%bash\\\\r\\"}"', 'ls'],
    ['%%bash -s x\necho $1', 'type=code', '%%bash -s x\necho $1'],
    ['%%R -w 100\nplot(1)', 'type=code lang=r x-jupyter="{\\"magic\\":\\"%%R -w 100\\"}"', 'plot(1)'],
    ['%%javascript\nalert(1)', 'type=code lang=javascript', 'alert(1)'],
    ['%%bash', 'type=code', '%%bash'],
    ['%%time\nf()', 'type=code', '%%time\nf()'],
  ])('%j of another program is a cell with %s', (source, tokens, body) => {
    const file = {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: [
        {
          cell_type: 'code',
          id: 'a',
          metadata: {},
          source: source.split(/(?<=\n)/),
          execution_count: null,
          outputs: [],
        },
      ],
    };
    const { notebook } = importFile(file);
    expect(notebook.cells[0]).toMatchObject({ opener: `${F}cell id=a ${tokens}\n`, body });
    expect(roundTrip(file)).toEqual(file);
  });
});

describe('other files', () => {
  test('the older metadata.woofnb is read', () => {
    const cell = {
      cell_type: 'code',
      metadata: { woofnb: { id: 'q', type: 'test', timeout: 5, deps: ['a', 'b'] } },
      source: '',
    };
    const { notebook } = importFile({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] });
    expect(notebook.cells[0]!.opener).toBe('```cell id=q type=test timeout=5 deps=a,b\n');
  });

  test('a cell whose id cannot stay gets another, and the import says so', () => {
    const cell = { cell_type: 'code', metadata: {}, source: '', outputs: [] };
    const cells = ['a', 'a', 'two words'].map((id) => ({ ...cell, id }));
    const { text, diagnostics } = fromIpynb({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });
    expect(parseNotebook(text!).notebook.cells.map(({ id }) => id)).toEqual(['a', 'cell-1', 'cell-2']);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      '`cells[1].id` should be unique, without spaces: Woof names the cell cell-1',
      '`cells[2].id` should be unique, without spaces: Woof names the cell cell-2',
    ]);
  });

  test('a copied cell, with the same id in its metadata, gets one of its own', () => {
    const cell = { cell_type: 'code', metadata: { woof: { id: 'a' } }, source: '', outputs: [] };
    const { notebook } = importFile({
      nbformat: 4,
      nbformat_minor: 4,
      metadata: {},
      cells: [cell, cell, { ...cell, id: 'b' }],
    });
    expect(notebook.cells.map(({ id }) => id)).toEqual(['a', 'cell-1', 'b']);
  });

  test('metadata that is too large for a header goes to the sidecar and comes back', () => {
    const file = { nbformat: 4, nbformat_minor: 5, metadata: { own: 'x'.repeat(2_000_000) }, cells: [] };
    expect(importFile(file).notebook.headerText.length).toBeLessThan(100);
    expect(roundTrip(file)).toEqual(file);
  });

  describe('a file of a version before ids', () => {
    const cells = ['x = 1', 'x'].map((source) => {
      return { cell_type: 'code', execution_count: null, metadata: {}, outputs: [], source: [source] };
    });
    const file = { cells, metadata: { own: 1 }, nbformat: 4, nbformat_minor: 2 };

    test('comes back as it was', () => {
      expect(roundTrip(file)).toEqual(file);
    });

    test('gets its version only if it has no ids', () => {
      const named = { ...file, cells: [{ ...cells[0], id: 'cell-1' }] };
      expect(roundTrip(named)).toEqual({ ...named, nbformat_minor: 5 });
    });

    test('gets ids and their version as soon as a cell is named', () => {
      const { text } = fromIpynb(file);
      const { notebook } = parseNotebook(text!.replace('id=cell-2', 'id=last'));
      const exported = toIpynb(notebook);
      expect(exported).toMatchObject({ nbformat_minor: 5, cells: [{ id: 'cell-1' }, { id: 'last' }] });
      expect(fromIpynb(exported).text).toContain('id=last');
    });
  });

  test('magics and fences survive', () => {
    const source = ['%%bash\n', '```\n', '!ls\n', '````\n', '```cell id=x type=code\n', '%matplotlib inline'];
    const file = {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: [{ cell_type: 'code', id: 'a', metadata: {}, source, execution_count: null, outputs: [] }],
    };
    expect(roundTrip(file)).toEqual(file);
  });

  test.each(NOT_FINITE)('%s, as Jupyter may write it, is read', (text, data) => {
    const output = `{"output_type": "display_data", "data": {"application/json": ${text}}, "metadata": {}}`;
    const code = `{"cell_type": "code", "metadata": {"x": ${text}}, "source": "", "outputs": [${output}]}`;
    const source = `{"cells": [${code}], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}`;
    const { diagnostics } = fromIpynb(source);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'a number should be finite: Woof reads NaN and infinities as null',
    ]);
    const file = roundTrip(decodeJson(source));
    expect(file.cells[0]).toMatchObject({
      metadata: { x: data },
      outputs: [{ data: { 'application/json': data } }],
    });
  });

  test('nbformat 3 is read', () => {
    const code = {
      cell_type: 'code',
      input: ['1'],
      prompt_number: 3,
      language: 'python',
      collapsed: true,
      outputs: [
        { output_type: 'pyout', prompt_number: 3, text: ['1'], png: 'aGk=' },
        { output_type: 'stream', stream: 'stderr', text: 'w' },
        { output_type: 'pyerr', ename: 'E', evalue: 'v', traceback: [] },
      ],
    };
    const heading = { cell_type: 'heading', level: 2, source: ['Title'], metadata: {} };
    const old = {
      nbformat: 3,
      nbformat_minor: 0,
      metadata: { name: 'old' },
      worksheets: [{ cells: [heading, code] }],
    };
    const { notebook } = importFile(old);
    expect(notebook.header.name).toBe('old');
    expect(notebook.cells.map(({ type, body }) => [type, body])).toEqual([
      ['md', '## Title'],
      ['code', '1'],
    ]);
    expect(roundTrip(old).cells[1]).toMatchObject({
      execution_count: 3,
      metadata: { collapsed: true },
      outputs: [
        {
          output_type: 'execute_result',
          execution_count: 3,
          data: { 'text/plain': ['1'], 'image/png': 'aGk=' },
        },
        { output_type: 'stream', name: 'stderr', text: 'w' },
        { output_type: 'error', ename: 'E' },
      ],
    });
  });
});

describe('hostile files', () => {
  const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as Json;

  test.each<[string, unknown, string[]]>([
    ['no JSON', '{', ['notebook/ipynb-syntax']],
    ['a list', [], ['notebook/ipynb-shape']],
    ['nothing', null, ['notebook/ipynb-shape']],
    ['no cells', { nbformat: 4 }, ['notebook/ipynb-shape']],
    ['version 5', { nbformat: 5, cells: [] }, ['notebook/ipynb-version']],
    ['version 2', { nbformat: 2, worksheets: [] }, ['notebook/ipynb-version']],
    ['too deep', { nbformat: 4, cells: [{ metadata: { deep } }] }, ['notebook/ipynb-too-deep']],
    ['wrong metadata', { nbformat: 4, cells: [], metadata: 3 }, ['notebook/ipynb-part']],
    [
      'wrong parts',
      { nbformat: 4, cells: [1, { cell_type: 'x', metadata: [], source: 2 }] },
      Array(4).fill('notebook/ipynb-part'),
    ],
    [
      'wrong outputs',
      { nbformat: 4, cells: [{ cell_type: 'code', source: '', outputs: [1] }] },
      ['notebook/ipynb-part'],
    ],
  ])('%s', (_what, file, codes) => {
    expect(fromIpynb(file).diagnostics.map(({ code }) => code)).toEqual(codes);
  });

  test('any JSON gives a notebook or an error', () => {
    const shapes = fc.oneof(
      fc.jsonValue(),
      fc.record({
        nbformat: fc.constantFrom(3, 4),
        metadata: json,
        cells: fc.array(
          fc.oneof(
            json,
            fc.record({
              cell_type: fc.constantFrom('code', 'markdown', 1),
              metadata: json,
              source: json,
              outputs: json,
            }),
          ),
        ),
        worksheets: json,
      }),
    );
    fc.assert(
      fc.property(shapes, (file) => {
        const { text, diagnostics } = fromIpynb(file);
        expect(text === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
        if (text !== undefined) toIpynb(parseNotebook(text).notebook);
      }),
      { numRuns: 500 },
    );
  });
});
