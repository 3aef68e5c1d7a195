import { decodeJson, encodeJson, type Json, type JsonObject } from '@woof/net';
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
  expect(diagnostics).toEqual([]);
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
        expect([back.nbformat, back.nbformat_minor]).toEqual([4, 5]);
      }),
      { numRuns: 500 },
    );
  });

  test('makes ids that are there, valid and unique, and a notebook without errors', () => {
    fc.assert(
      fc.property(files, (file) => {
        const back = roundTrip(file);
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

  test('leaves the source, stands in the sidecar, and comes back', () => {
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

describe('woofnb → ipynb → woofnb', () => {
  const essenceOf = (notebook: Notebook) => ({
    header: notebook.header.data,
    cells: notebook.cells.map((cell) => ({
      tokens: cell.tokens.map(({ key, value }) => [key, value]),
      body: cell.body,
    })),
  });

  test('keeps header, tokens and bodies of any notebook', () => {
    fc.assert(
      fc.property(headers, cellSpecs, (header, specs) => {
        const notebook = notebookOf({ header: decodeJson(encodeJson(header)), cells: specs });
        fc.pre(notebook !== undefined);
        const { notebook: back } = importFile(decodeJson(encodeJson(toIpynb(notebook))));
        expect(essenceOf(back)).toEqual(essenceOf(notebook));
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

  test('says the tokens under metadata.woof, and what Jupyter needs', () => {
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
          id: 'a',
          metadata: {
            tags: ['x', 'y'],
            woof: { id: 'a', type: 'data', deps: '', timeout: '30', tags: 'x,y' },
          },
          source: ['1'],
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
