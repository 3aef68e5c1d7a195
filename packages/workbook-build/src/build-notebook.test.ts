import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readWorkbook } from '@woof/documents/workbook';
import { describeUnless } from '@woof/testkit';
import { expect, it } from 'vitest';
import { buildNotebook, type NotebookOptions } from './build-notebook.ts';
import { Refused } from './refused.ts';

const folder = fileURLToPath(new URL('../../../dist/workbook/', import.meta.url));
const part = (file: string) => readFileSync(folder + file, file.endsWith('.gz') ? 'base64' : 'utf8');
const noParts = existsSync(`${folder}notebook.js`) ? undefined : 'dist is not built (node scripts/build.mjs)';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAYAAAC56t6BAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function build(text: string, options: NotebookOptions = {}, beside: Record<string, string | Buffer> = {}) {
  const read = (path: string) => (Object.hasOwn(beside, path) ? Buffer.from(beside[path]!) : undefined);
  return buildNotebook({ name: 'n.woofnb', text: `%WOOFNB 1.0\n${text}`, read }, options, part);
}

const cell = (tokens: string, body: string) => `\n\`\`\`cell ${tokens}\n${body}\n\`\`\`\n`;
const line = (id: string, ...outputs: object[]) =>
  `${JSON.stringify({ cell: id, timestamp: '2026-01-02T03:04:05.000Z', outputs })}\n`;
const mainOf = (html: string) => /<main[\s\S]*<\/main>/.exec(html)![0];
const modelOf = (html: string) =>
  JSON.parse(/id="woof-model">([\s\S]*?)<\/script>/.exec(html)![1]!) as {
    cells: { id: string; stored?: string }[];
    charts: Record<string, { spec: { data: object[] }; wanted: string[]; isFilled: boolean }[]>;
  };

describeUnless(noParts)('a page of a notebook', () => {
  it('is titled by its first heading, else by its name, else by its file', () => {
    const title = (text: string) => readWorkbook(build(text).html).title;
    expect(title(`name: a${cell('id=m type=md', '# The *title*')}`)).toBe('The title');
    expect(title(`name: a${cell('id=m type=md', 'no heading')}`)).toBe('a');
    expect(title(cell('id=m type=md', ''))).toBe('n');
  });

  it('has a table of contents if there is something to find', () => {
    const text = cell('id=m type=md', '# One\n\n## Two\n\n## Two\n\n#### Deep');
    const links = [...build(text).html.matchAll(/<a href="#([^"]+)">(\w+)<\/a>/g)].map(([, id, name]) => [
      id,
      name,
    ]);
    expect(links).toEqual([
      ['s-two', 'Two'],
      ['s-two-2', 'Two'],
    ]);
    expect(build(cell('id=m type=md', '# One')).html).not.toContain('class="contents"');
  });

  it('runs nothing unless cells can use JavaScript', () => {
    expect(build(cell('id=a type=code', '1')).live).toEqual([]);
    expect(build(cell('id=a type=code lang=javascript', '1')).live).toEqual(['js']);
    expect(build(cell('id=a type=code lang=js', '1'), { live: 'none' }).live).toEqual([]);
    expect(build(cell('id=a type=code lang=javascript', "require('fs')")).live).toEqual([]);
    const both = build(cell('id=a type=code', '1') + cell('id=b type=code lang=javascript', '1'), {
      live: 'python',
    });
    expect(both.live).toEqual(['js', 'python']);
    expect(both.html).toContain('data-wb-live="js python"');
    expect(build(cell('id=a type=code lang=javascript', '1'), { live: 'python' }).html.length).toBeLessThan(
      200_000,
    );
  });

  it('says once what runs in it, and shows a chart once', () => {
    const cells =
      cell('id=py type=code', 'x = 1') +
      cell('id=more type=code', 'x + 1') +
      cell('id=js type=code lang=javascript', '1') +
      cell('id=bars type=viz', '{"mark": "bar", "data": {"values": [{"a": 1}]}}') +
      cell(
        'id=text type=md',
        '![The bars](artifacts/bars/chart.svg) and ![another](artifacts/other/chart.svg)',
      );
    const { html } = build(
      `execution: {order: graph}\n${cells}`,
      { live: 'js' },
      { 'n.woofnb.out': line('bars') },
    );
    expect(html).not.toContain('built without Python (woof build --live python).');
    expect(html.match(/JavaScript runs in this page; Python outputs are stored/g)).toHaveLength(1);
    expect(html).toContain('<a href="#cell-bars">See the chart: The bars</a>');
    expect(html).toContain('<em class="absent">another</em>');
  });

  it('names the third-party work that it contains, with licences', () => {
    const chart = build(`${cell('id=v type=viz', '{"data": {"values": [{"a": 1}]}, "mark": "bar"}')}`).html;
    expect(chart).toMatch(
      /BSD-3-Clause[\s\S]*vega 5\.[\s\S]*Redistributions in binary form[\s\S]*Mike Bostock/,
    );
    expect(chart).not.toContain('MPL-2.0');
    const python = build(cell('id=a type=code', '1'), { live: 'python' }).html;
    expect(python).toMatch(/MPL-2\.0\n.*pyodide \d[\s\S]*PSF-2\.0/);
    expect(python).not.toContain('BSD-3-Clause');
    expect(build(cell('id=a type=code lang=javascript', '1')).html).not.toContain('-notices');
  });

  it('says why a cell does not run in it', () => {
    const why = (tokens: string, body: string, header = '') => {
      const { html } = build(
        `execution: {order: graph}\n${header}${cell(`id=x ${tokens}`, body)}${cell('id=js type=code lang=javascript', '1')}`,
        { live: 'python' },
      );
      return modelOf(html).cells.find(({ id }) => id === 'x')!.stored;
    };
    expect(why('type=code', '1')).toBeUndefined();
    expect(why('type=code', 'import json, os.path as p\nfrom collections import Counter')).toBeUndefined();
    expect(why('type=code', 'def f():\n    import pandas as pd')).toContain('pandas');
    expect(why('type=code', 'from sklearn.svm import SVC')).toContain('sklearn');
    expect(why('type=bash', 'ls')).toContain('Bash');
    expect(why('type=code lang=r', '1')).toContain('R does not run');
    expect(why('type=code sidefx=fs', '1', 'io_policy: {allow_files: true}')).toContain('files');
    expect(why('type=code sidefx=net', '1', 'io_policy: {allow_network: true}')).toContain('network');
    expect(why('type=code sidefx=isolated', '1')).toContain('isolated');
    expect(why('type=code kernel=xeus', '1')).toContain('xeus');
    expect(why('type=code disabled=true', '1')).toContain('disabled');
    expect(why('type=code lang=javascript', 'process.cwd()')).toContain('process');
    expect(why('type=code lang=javascript', 'const process = 1; process + 1')).toBeUndefined();
    expect(why('type=code lang=javascript', 'x.process; "require(1)"')).toBeUndefined();
    expect(why('type=code lang=javascript', "import fs from 'node:fs'")).toContain('module');
  });

  it('asks for the network only if cells declare it, and says which', () => {
    const { html } = build(`io_policy: {allow_network: true}${cell('id=web type=code sidefx=net', '1')}`);
    expect(readWorkbook(html)).toMatchObject({
      permissions: ['net'],
      reasons: { net: expect.stringContaining('web') },
    });
    expect(readWorkbook(build(cell('id=a type=code', '1')).html).permissions).toEqual([]);
  });

  it('shows parameters as controls if live cells read them, else as a list', () => {
    const header =
      'parameters: {n: 3, r: 0.5, on: true, who: Ada, pick: b, list: [1]}\nmetadata: {parameters: {r: {min: 0, max: 1, step: 0.1, label: The "rate"}, pick: {options: [a, b]}}}\n';
    const { html } = build(header + cell('id=a type=code lang=javascript', 'parameters'));
    expect(html).toContain(
      '<input type="number" id="parameter-n" data-parameter="n" data-kind="number" disabled step="any" value="3">',
    );
    expect(html).toContain(
      '<input type="range" id="parameter-r" data-parameter="r" data-kind="range" disabled min="0" max="1" step="0.1" value="0.5">',
    );
    expect(html).toContain('<label for="parameter-r">The "rate"</label>');
    expect(html).toMatch(/<input type="checkbox" id="parameter-on"[^>]* checked>/);
    expect(html).toContain('<option value="&quot;b&quot;" selected>b</option>');
    expect(html).toMatch(/<input type="text" id="parameter-list"[^>]*value="\[1\]">/);
    const still = build(header + cell('id=a type=code', '1')).html;
    expect(still).toContain('<dt>who</dt><dd>Ada</dd>');
    expect(still).not.toContain('<input');
    // Python is not part of this page: what only Python reads cannot change anything.
    const python = cell('id=a type=code', 'parameters["who"]');
    const mixed = mainOf(
      build(header + python + cell('id=b type=code lang=javascript', 'parameters.n')).html,
    );
    expect(mixed.match(/data-parameter="\w+"/g)).toEqual(['data-parameter="n"']);
    expect(mixed).toContain('<dt>who</dt><dd>Ada</dd>');
  });

  it('has displays from files, and only those of their cell', () => {
    const outputs = [
      { output_type: 'display_data', data: { 'image/png': { file: 'artifacts/a/x.png' } }, metadata: {} },
      { output_type: 'display_data', data: { 'image/png': { file: 'secret.png' } }, metadata: {} },
    ];
    const beside = {
      'n.woofnb.out': line('a', ...outputs),
      'artifacts/a/x.png': PNG,
      'secret.png': Buffer.from('SECRET'),
    };
    const { html, absent } = build(cell('id=a type=code', '1'), {}, beside);
    expect(html).toContain(PNG.toString('base64'));
    expect(html).toContain('width="2" height="3"');
    expect(html).not.toContain(Buffer.from('SECRET').toString('base64'));
    expect(absent).toEqual([]);
  });

  it('has the pictures of its text, from below its folder', () => {
    const text = cell('id=m type=md', '![one](pictures/a%20b.png) ![two](../b.png) ![three](.hidden/c.png)');
    const { html, absent } = build(
      text,
      {},
      { 'pictures/a b.png': PNG, '../b.png': PNG, '.hidden/c.png': PNG },
    );
    expect(mainOf(html).match(/<img/g)).toHaveLength(1);
    expect(absent).toEqual(['../b.png', '.hidden/c.png']);
  });

  it('has pictures that are embedded in its text, and names those that are elsewhere', () => {
    const data = `data:image/png;base64,${Buffer.from(PNG).toString('base64')}`;
    const elsewhere = ['https://x.example/a.png', '/etc/a.png', 'notes.txt'];
    const text = [data, ...elsewhere].map((address, at) => `![p${at}](${address})`).join(' ');
    const { html, absent } = build(cell('id=m type=md', text));
    expect(html).toContain(`<img src="${data}" alt="p0">`);
    expect(html).not.toContain('alt="p1"');
    expect(absent).toEqual(elsewhere);
  });

  it('has code folded, shown or hidden', () => {
    const text = cell('id=a type=code', 'x = 1 < 2');
    expect(mainOf(build(text).html)).toContain('<details class="source">');
    expect(mainOf(build(text, { code: 'shown' }).html)).toContain('<details class="source" open>');
    expect(mainOf(build(text, { code: 'hidden' }).html)).not.toContain('&lt;');
  });

  it('compiles charts, with the rows that are known', () => {
    const spec = JSON.stringify({ data: { name: 'rows' }, mark: 'bar', encoding: { x: { field: 'a' } } });
    const known = build(cell('id=rows type=data', '[{"a": 1}]') + cell('id=v type=viz', spec)).html;
    expect(modelOf(known).charts.v).toMatchObject([{ wanted: ['rows'], isFilled: true }]);
    const made = build(cell('id=c type=code', 'rows = []') + cell('id=v type=viz', spec)).html;
    expect(modelOf(made).charts.v).toMatchObject([{ wanted: ['rows'], isFilled: false }]);
    expect(modelOf(build(cell('id=v type=viz', '{"mark": "nothing"}')).html).charts).toEqual({});
    expect(modelOf(build(cell('id=v type=viz', 'no JSON')).html).charts).toEqual({});
  });

  it('shows outputs of a sidecar that is large, and says so of one that is too large', () => {
    const outputs = Array.from({ length: 30 }, () => ({
      output_type: 'stream',
      name: 'stdout',
      text: 'word '.repeat(40_000),
    }));
    const large = build(cell('id=a type=code', '1'), {}, { 'n.woofnb.out': line('a', ...outputs) });
    expect(mainOf(large.html)).toContain('word word');
    // It is shown, but unbundling the page does not return it.
    expect(large.absent).toEqual([
      '"n.woofnb.out" is too large for the source bundle, which names it without its content',
    ]);
    const most = Buffer.alloc(41 * 1024 * 1024, ' ');
    expect(build(cell('id=a type=code', '1'), {}, { 'n.woofnb.out': most }).absent).toEqual(['n.woofnb.out']);
  });

  it('reads a sidecar that is truncated, forged or not a sidecar at all', () => {
    for (const sidecar of [
      '{"cell":"a","outp',
      'null\n[]\n{}\n',
      line(
        'a',
        { output_type: 'stream' },
        { output_type: 'x' },
        { output_type: 'error' },
        { output_type: 'display_data', data: [] },
      ),
    ]) {
      expect(build(cell('id=a type=code', '1'), {}, { 'n.woofnb.out': sidecar }).html).toContain('</html>');
    }
  });

  it('forbids all that it does not need', () => {
    const policy = (text: string, options: NotebookOptions = {}) =>
      /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(build(text, options).html)![1]!;
    const still = policy(cell('id=a type=code', '1'));
    expect(still).toMatch(/^default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-/);
    expect(still).not.toMatch(/blob|unsafe/);
    const live = policy(cell('id=a type=code', '1'), { live: 'python' });
    expect(live).toContain("blob: 'wasm-unsafe-eval'");
    expect(live).not.toMatch(/'unsafe-(eval|inline)'|https?:/);
    expect(live).toContain("connect-src 'none'");
  });

  it('refuses to contain what looks like a secret', () => {
    const key = `-----BEGIN ${'PRIVATE KEY'}-----\n${'A'.repeat(64)}\n-----END ${'PRIVATE KEY'}-----`;
    expect(() => build(cell('id=a type=code', `key = """${key}"""`))).toThrow(Refused);
    expect(() =>
      build(cell('id=a type=code', `key = """${key}"""`), { includeSecrets: ['n.woofnb'] }),
    ).not.toThrow();
  });
});
