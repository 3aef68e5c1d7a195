/** Charts through the real binary: where data comes from, which files result, what is refused, the cache. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Account, Folder } from '../playbook/run-playbook.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.dispose());

interface Output {
  output_type: string;
  ename?: string;
  evalue?: string;
  data?: Record<string, unknown>;
}

interface Line {
  cell: string;
  cached?: boolean;
  outputs: Output[];
}

const fence = '```';
const cell = (tokens: string, body: string) => `\n${fence}cell ${tokens}\n${body}\n${fence}\n`;
const notebook = (execution: string, ...cells: string[]) =>
  `%WOOFNB 1.0\nname: test\nlanguage: python\nexecution: {${execution}}\nio_policy: {allow_files: true}\n${cells.join('')}`;

const chart = (data: unknown, more: Record<string, unknown> = {}) =>
  JSON.stringify({
    ...{ data, mark: 'bar', ...more },
    encoding: { x: { field: 'city', type: 'nominal' }, y: { field: 'rain', type: 'quantitative' } },
  });
const SALES = '[{"city": "Oslo", "rain": 3}, {"city": "Bergen", "rain": 8}]';

type Ran = Account & { code: number; lines: Map<string, Line> };

async function run(text: string, ...args: string[]): Promise<Ran> {
  const file = folder.write('n.woofnb', text);
  const { code, stdout, stderr } = await folder.woof('run', file, '--json', ...args);
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) throw new Error(`no account; exit ${code}\n${stdout}\n${stderr}`);
  const lines = readFileSync(`${file}.out`, 'utf8').trim().split('\n');
  const parsed = lines.map((line) => JSON.parse(line) as Line);
  return { ...(JSON.parse(last) as Account), code, lines: new Map(parsed.map((line) => [line.cell, line])) };
}

const svgOf = (id: string) => readFileSync(join(folder.path, 'artifacts', id, 'chart.svg'), 'utf8');
const bars = (svg: string) => svg.match(/aria-roledescription="bar"/g)?.length ?? 0;
const errorOf = ({ lines }: Ran, id: string) => lines.get(id)!.outputs.at(-1)!;
const statuses = ({ steps }: Account) =>
  Object.fromEntries(Object.entries(steps).map(([id, { status }]) => [id, status]));

describe('data', () => {
  it('of a data cell by its id: a file, and an output with the picture and the specification', async () => {
    const ran = await run(
      notebook(
        'order: graph',
        cell('id=sa-les type=data', SALES),
        cell('id=plot type=viz deps=sa-les', chart({ name: 'sa-les' })),
      ),
    );
    expect([ran.code, ran.steps.plot!.result]).toEqual([0, { file: 'artifacts/plot/chart.svg' }]);
    expect(bars(svgOf('plot'))).toBe(2);
    const [output, ...others] = ran.lines.get('plot')!.outputs;
    expect(others).toEqual([]);
    expect(output).toMatchObject({ output_type: 'display_data' });
    expect(output!.data!['image/svg+xml']).toBe(svgOf('plot'));
    expect(output!.data!['application/vnd.vegalite.v5+json']).toMatchObject({
      mark: 'bar',
      datasets: { 'sa-les': JSON.parse(SALES) as unknown },
    });
  });

  it('of variables, of any language, in linear order', async () => {
    const ran = await run(
      notebook(
        'order: linear',
        cell('id=p type=code', `rows = ${SALES} + [{"city": "Voss", "rain": 1}]`),
        cell('id=j type=code lang=javascript', 'const points = [{ city: "Bodø", rain: 2 }];'),
        cell('id=a type=viz', chart({ name: 'rows' })),
        cell('id=b type=viz', chart({ name: 'points' })),
        cell('id=c type=viz', chart({ values: JSON.parse(SALES) as unknown })),
      ),
    );
    expect(ran.code).toBe(0);
    expect(['a', 'b', 'c'].map((id) => bars(svgOf(id)))).toEqual([3, 1, 2]);
    expect(svgOf('b')).toContain('Bodø');
  });

  it('of Vega itself', async () => {
    const spec = {
      ...{ width: 40, height: 40, data: [{ name: 'd' }] },
      marks: [{ type: 'rect', from: { data: 'd' }, encode: { enter: { width: { field: 'data' } } } }],
    };
    const ran = await run(
      notebook(
        'order: linear',
        cell('id=d type=data', '[1, 2, 3]'),
        cell('id=v type=viz', JSON.stringify(spec)),
      ),
    );
    expect(ran.code).toBe(0);
    expect(Object.keys(ran.lines.get('v')!.outputs[0]!.data!)).toContain('application/vnd.vega.v5+json');
  });

  it('in large amounts is in the file, not in the sidecar', async () => {
    const rows = `rows = [{"city": str(i), "rain": i} for i in range(4000)]`;
    const ran = await run(
      notebook('order: linear', cell('id=p type=code', rows), cell('id=v type=viz', chart({ name: 'rows' }))),
    );
    const data = ran.lines.get('v')!.outputs[0]!.data!;
    expect(data['image/svg+xml']).toEqual({ file: 'artifacts/v/chart.svg' });
    expect(data['application/vnd.vegalite.v5+json']).not.toHaveProperty('datasets');
    expect(bars(svgOf('v'))).toBe(4000);
  });
});

describe('failure', () => {
  it('skips what depends on the chart, and lets the rest continue', async () => {
    const ran = await run(
      notebook(
        'order: graph',
        cell('id=sales type=data', SALES),
        cell('id=rows type=code', 'table = [1]\nnumber = 5'),
        cell('id=far type=viz', chart({ url: 'https://example.com/x.json' })),
        cell('id=near type=viz deps=sales', chart({ name: 'sale' })),
        cell('id=variable type=viz deps=rows', chart({ name: 'tabel' })),
        cell('id=apart type=viz', chart({ name: 'sales' })),
        cell('id=scalar type=viz deps=rows', chart({ name: 'number' })),
        cell('id=mark type=viz deps=sales', chart({ name: 'sales' }, { mark: 'barr' })),
        cell('id=after type=code deps=far', 'print(1)'),
        cell('id=good type=viz deps=sales', chart({ name: 'sales' })),
      ),
    );
    expect(ran.code).toBe(1);
    expect(statuses(ran)).toMatchObject({ far: 'failed', after: 'skipped', good: 'succeeded' });
    const evalue = (id: string) => errorOf(ran, id).evalue;
    expect(errorOf(ran, 'far')).toMatchObject({ output_type: 'error', ename: 'PolicyError' });
    expect(ran.steps.far!.error).toMatchObject({ kind: 'policy' });
    expect(evalue('near')).toMatch(/no data "sale".*did you mean "sales"\?/);
    expect(evalue('variable')).toMatch(/no data "tabel".*did you mean "table"\?/);
    expect(evalue('apart')).toMatch(/no data "sales".*add the data cell to deps/);
    expect(evalue('scalar')).toMatch(/must be a table.* is number/);
    expect(evalue('mark')).toMatch(/unknown mark "barr"/);
    expect(existsSync(join(folder.path, 'artifacts', 'mark'))).toBe(false);
  });

  it('of any earlier cell skips the chart in linear order; of a chart it skips nothing', async () => {
    const ran = await run(
      notebook(
        'order: linear',
        cell('id=first type=viz', chart({ name: 'nothing' })),
        cell('id=second type=viz', chart({ values: [] })),
        cell('id=bad type=code', '1 / 0'),
        cell('id=fine type=code lang=javascript', '1'),
        cell('id=d type=data', SALES),
        cell('id=plot type=viz', chart({ name: 'd' })),
        cell('id=next type=code', '2'),
      ),
    );
    expect(statuses(ran)).toEqual({
      ...{ first: 'failed', second: 'succeeded', bad: 'failed', fine: 'succeeded', d: 'succeeded' },
      ...{ plot: 'skipped', next: 'skipped' },
    });
  });

  it('leaves no picture of an earlier run, but keeps the target of a link', async () => {
    const draw = (data: unknown) => run(notebook('order: linear', cell('id=v type=viz', chart(data))));
    await draw({ values: [{ city: 'Oslo', rain: 3 }] });
    expect(bars(svgOf('v'))).toBe(1);
    expect((await draw({ name: 'nothing' })).steps.v!.status).toBe('failed');
    expect(existsSync(join(folder.path, 'artifacts', 'v', 'chart.svg'))).toBe(false);

    const outside = new Folder();
    outside.write('chart.svg', 'not ours');
    mkdirSync(join(folder.path, 'artifacts'));
    symlinkSync(outside.path, join(folder.path, 'artifacts', 'v'));
    await draw({ name: 'nothing' });
    expect(existsSync(join(outside.path, 'chart.svg'))).toBe(true);
    outside.dispose();
  });

  it('by timeout', async () => {
    const slow = {
      data: { sequence: { start: 0, stop: 3e6 } },
      mark: 'point',
      encoding: { x: { field: 'data' } },
    };
    const ran = await run(notebook('order: linear', cell('id=v type=viz timeout=1', JSON.stringify(slow))));
    expect(errorOf(ran, 'v')).toMatchObject({ ename: 'TimeoutError' });
    expect(ran.steps.v!.error).toMatchObject({ kind: 'timeout' });
  });

  it('if a link leads out of the folder', async () => {
    const outside = new Folder();
    mkdirSync(join(folder.path, 'artifacts'));
    symlinkSync(outside.path, join(folder.path, 'artifacts', 'v'));
    const file = folder.write(
      'n.woofnb',
      notebook('order: linear', cell('id=v type=viz', chart({ values: [] }))),
    );
    const { code, stderr } = await folder.woof('run', file);
    expect(code).toBe(1);
    expect(stderr).toMatch(/artifacts\/v is a link that leads elsewhere/);
    expect(existsSync(join(outside.path, 'chart.svg'))).toBe(false);
    outside.dispose();
  });
});

describe('cache', () => {
  const text = (rain: number, code = 'rows = sales') =>
    notebook(
      'order: graph, cache: content-hash',
      cell('id=sales type=data', `[{"city": "Oslo", "rain": ${rain}}]`),
      cell('id=prep type=code deps=sales', code),
      cell('id=direct type=viz deps=sales', chart({ name: 'sales' })),
      cell('id=plot type=viz deps=prep', chart({ name: 'rows' })),
    );
  const cached = ({ lines }: Ran) => ['direct', 'plot'].map((id) => lines.get(id)!.cached ?? false);

  it('is used while nothing has changed, and restores the file', async () => {
    await run(text(3));
    const before = svgOf('plot');
    rmSync(join(folder.path, 'artifacts'), { recursive: true });
    expect(cached(await run(text(3)))).toEqual([true, true]);
    expect(svgOf('plot')).toBe(before);
  });

  it('does not hold for other data, other code, or --no-cache', async () => {
    await run(text(3));
    expect(cached(await run(text(4)))).toEqual([false, false]);
    expect(cached(await run(text(4, 'rows = sales * 2')))).toEqual([true, false]);
    expect(cached(await run(text(4, 'rows = sales * 2'), '--no-cache'))).toEqual([false, false]);
  });

  it('after effects depends on the data itself', async () => {
    const effects = notebook(
      'order: graph, cache: content-hash',
      cell(
        'id=load type=code lang=javascript sidefx=fs',
        'const rows = JSON.parse(require("fs").readFileSync("d.json", "utf8"));',
      ),
      cell('id=plot type=viz deps=load', chart({ name: 'rows' })),
    );
    const again = async () => (await run(effects)).lines.get('plot')!.cached ?? false;
    folder.write('d.json', SALES);
    expect([await again(), await again()]).toEqual([false, true]);
    folder.write('d.json', '[{"city": "Voss", "rain": 1}]');
    expect(await again()).toBe(false);
    expect(bars(svgOf('plot'))).toBe(1);
  });
});
