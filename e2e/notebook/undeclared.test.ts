/** Cells of a graph that use what they do not name in deps: with a cache they must see what they see without one. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Folder } from '../playbook/run-playbook.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.dispose());

const fence = '```';
const cell = (tokens: string, body: string) => `\n${fence}cell ${tokens}\n${body}\n${fence}\n`;
const graph = (...cells: string[]) =>
  `%WOOFNB 1.0\nname: test\nlanguage: python\nio_policy: {allow_files: true}\n` +
  `execution: {order: graph, cache: content-hash}\n${cells.join('')}`;

interface Ran {
  /** By cell, what it printed or gave, or the name of its error. */
  shown: Record<string, string>;
  /** In order. */
  executed: string[];
}

async function run(text: string, ...args: string[]): Promise<Ran> {
  const file = folder.write('n.woofnb', text);
  const { code, stderr } = await folder.woof('run', file, '--quiet', ...args);
  if (code > 1 || !existsSync(`${file}.out`)) throw new Error(stderr);
  const lines = readFileSync(`${file}.out`, 'utf8').trim().split('\n').map(parseLine);
  return {
    shown: Object.fromEntries(lines.map(({ cell: id, outputs }) => [id, outputs.map(textOf).join('')])),
    executed: lines.filter(({ cached }) => !cached).map(({ cell: id }) => id),
  };
}

interface Output {
  text?: string;
  ename?: string;
  data?: Record<string, string>;
}
const parseLine = (line: string) => JSON.parse(line) as { cell: string; cached?: boolean; outputs: Output[] };
const textOf = ({ text, ename, data }: Output) => (text ?? ename ?? data?.['text/plain'] ?? '').trim();

const hasPandas = spawnSync('/usr/bin/python3', ['-c', 'import pandas, matplotlib, numpy'], {
  stdio: 'ignore',
});
describeUnless(hasPandas.status === 0 ? undefined : 'pandas, numpy or matplotlib is not installed')(
  'an analysis with pandas',
  () => {
    const notebook = (
      edits: { total?: string; plot?: string; bars?: string; draw?: string; root?: string } = {},
    ) =>
      graph(
        cell('id=cfg type=data', '{"title": "n"}'),
        cell(
          'id=load type=code',
          'import pandas as pd, numpy as np\ndf = pd.DataFrame({"k": list("abab"), "n": np.arange(4) + 1})',
        ),
        cell('id=clean type=code deps=load', 'clean = df[df.n > 1].copy()'),
        cell(
          'id=draw type=code',
          `import numpy as np, random, statistics\nrng = np.random.default_rng(${edits.draw ?? 1})\nprint(statistics.mean([1, 2]))`,
        ),
        cell('id=total type=code deps=clean', edits.total ?? 'clean.groupby("k").n.sum()'),
        cell(
          'id=plot type=code deps=clean,cfg',
          `import matplotlib.pyplot as plt\nplt.bar(clean.k, clean.n)\nplt.title(cfg["title"] + "${edits.plot ?? ''}")\nplt.show()`,
        ),
        cell(
          'id=bars type=code deps=clean,cfg',
          `import matplotlib.pyplot as plt\nplt.barh(clean.k, clean.n)\nplt.title(cfg["title"] + "${edits.bars ?? ''}")\nplt.show()`,
        ),
        cell('id=root type=code deps=clean', `import numpy\nnumpy.sqrt(clean.n.sum()) + ${edits.root ?? 0}`),
        cell('id=count type=code deps=clean', 'len(clean)'),
      );

    it('executes only one leaf after an edit, even one that assigns the names of another', async () => {
      const load = cell('id=load type=code', 'import pandas as pd\ndf = pd.DataFrame({"k": list("abab")})');
      const leaf = (id: string, kind: string) =>
        cell(
          `id=${id} type=code deps=load`,
          `import matplotlib.pyplot as plt\nby = df.groupby("k").size()\nfig, ax = plt.subplots()\nax.${kind}(by.index, by)\nax.set_title("${id}")\nplt.show()`,
        );
      const text = (...kinds: string[]) =>
        graph(load, ...kinds.map((kind, index) => leaf(`leaf${index}`, kind)));
      expect((await run(text('bar', 'bar', 'bar'))).executed).toHaveLength(4);
      expect((await run(text('plot', 'bar', 'bar'))).executed).toEqual(['leaf0']);
      expect((await run(text('plot', 'plot', 'bar'))).executed).toEqual(['leaf1']);
    });

    it('executes only one leaf after an edit, even one that imports late, loops, and assigns over several lines', async () => {
      const load = cell('id=load type=code', 'import pandas as pd\ndf = pd.DataFrame({"k": list("abab")})');
      const leaf = (id: string, kind: string) =>
        cell(
          `id=${id} type=code deps=load`,
          `"""Draws ${id}."""\nby = (\n    df.groupby("k")  # as it is\n    .size()\n)\nimport matplotlib.pyplot as plt\nfrom json import dumps\nfig, ax = plt.subplots(\n    figsize=(4, 2),\n)\ndef label(v, text=""):\n    """Of a bar."""\n    return f"{v}\\n{text}"\nfor at, part in enumerate([by, by]):\n    size = len(part)\n    ax.text(at, size, label(size))\nax.${kind}(by.index, by)\nprint(dumps("${id}"))\nplt.show()`,
        );
      const text = (...kinds: string[]) =>
        graph(load, ...kinds.map((kind, index) => leaf(`leaf${index}`, kind)));
      expect((await run(text('bar', 'bar', 'bar'))).executed).toHaveLength(4);
      expect((await run(text('plot', 'bar', 'bar'))).executed).toEqual(['leaf0']);
      expect((await run(text('plot', 'plot', 'bar'))).executed).toEqual(['leaf1']);
    });

    it('executes only one leaf after an edit, even one that imports its libraries', async () => {
      expect((await run(notebook())).executed).toHaveLength(8);
      expect((await run(notebook())).executed).toEqual([]);
      const total = await run(notebook({ total: 'clean.groupby("k").n.max()' }));
      expect(total.executed).toEqual(['total']);
      expect(total.shown.total).toContain('b    4');
      const total2 = { total: 'clean.groupby("k").n.max()' };
      expect((await run(notebook({ ...total2, plot: 'other' }))).executed).toEqual(['plot']);
      const edited = { ...total2, plot: 'other', draw: '2' };
      expect((await run(notebook(edited))).executed).toEqual(['draw']);
      expect((await run(notebook({ ...edited, bars: 'x' }))).executed).toEqual(['bars']);
      expect((await run(notebook({ ...edited, bars: 'x', root: '1' }))).executed).toEqual(['root']);
    });
  },
);

describe('a name that no dep gives', () => {
  it.each([
    ['python', 'x = 1', 'x = 5', 'x + 1'],
    ['javascript', 'var x = 1', 'var x = 5', 'x + 1'],
  ])('%s: is the new one after an edit', async (language, before, after, use) => {
    const lang = ` lang=${language}`;
    const b = cell(`id=b type=code${lang}`, use);
    expect((await run(graph(cell(`id=a type=code${lang}`, before), b))).shown.b).toBe('2');
    expect((await run(graph(cell(`id=a type=code${lang}`, after), b))).shown.b).toBe('6');
    expect((await run(graph(cell(`id=a type=code${lang}`, after), b))).executed).toEqual([]);
  });

  it('is available when only the cell that uses it runs again', async () => {
    const a = cell('id=a type=code', 'x = 1');
    await run(graph(a, cell('id=b type=code', 'print(x + 1)')));
    const again = await run(graph(a, cell('id=b type=code', 'print(x + 2)')));
    expect(again).toEqual({ shown: { a: '', b: '3' }, executed: ['b'] });
  });

  it('is gone if a later cell imports it and deletes it', async () => {
    const a = (body: string) => cell('id=a type=code', body);
    const imports = cell('id=b type=code', 'import math as m\nprint(m.tau > 6)\ndel m');
    const use = cell('id=use type=code', 'try: print(m)\nexcept NameError: print("gone")');
    expect((await run(graph(a('n = 1'), imports, use))).shown.use).toBe('gone');
    expect((await run(graph(a('m = 1'), imports, use))).shown).toEqual({ a: '', b: 'True', use: 'gone' });
  });

  it('is the part of a package that another cell loaded late', async () => {
    const loads = cell('id=a type=code', 'n = 1\nimport xml.dom');
    const use = (text: string) =>
      cell('id=use type=code', `import xml\nprint(hasattr(xml, "dom"), "${text}")`);
    expect((await run(graph(loads, use('a')))).shown.use).toBe('True a');
    expect((await run(graph(loads, use('b')))).shown.use).toBe('True b');
  });

  it('is found through a function of another cell', async () => {
    const f = cell('id=f type=code', 'def f(): return x');
    const use = cell('id=use type=code deps=f', 'print(f())');
    await run(graph(cell('id=a type=code', 'x = 1'), f, use));
    const edited = await run(graph(cell('id=a type=code', 'x = 2'), f, use));
    expect(edited.shown.use).toBe('2');
  });

  it('of data that another cell depends on', async () => {
    const data = (value: number) => cell('id=cfg type=data', `{"n": ${value}}`);
    const rest = [cell('id=a type=code deps=cfg', '1'), cell('id=b type=code', 'print(cfg["n"])')];
    expect((await run(graph(data(1), ...rest))).shown.b).toBe('1');
    expect((await run(graph(data(2), ...rest))).shown.b).toBe('2');
    const edited = rest.with(1, cell('id=b type=code', 'print(cfg["n"] + 1)'));
    expect((await run(graph(data(2), ...edited))).shown.b).toBe('3');
  });

  it('of another language, that an earlier cell asked for', async () => {
    const js = cell('id=js type=code lang=javascript', 'var n = 3');
    const f = cell('id=f type=code deps=js', 'def f(): return js["n"]');
    await run(graph(js, f, cell('id=use type=code deps=f', 'print(f())')));
    const edited = await run(graph(js, f, cell('id=use type=code deps=f', 'print(f() + 1)')));
    expect(edited).toEqual({ shown: { js: '', f: '', use: '4' }, executed: ['use'] });
  });

  it('shows in a chart as it was when the chart was drawn', async () => {
    const chart = cell('id=v type=viz deps=a', '{"data": {"name": "rows"}, "mark": "point", "encoding": {}}');
    const more = (n: number) => cell('id=m type=code deps=a', `rows.append({"n": ${n}})`);
    const a = cell('id=a type=code', 'rows = [{"n": 1}]');
    await run(graph(a, more(2), chart));
    expect((await run(graph(a, more(3), chart))).executed).toEqual(['m', 'v']);
    const [spec] = readFileSync(join(folder.path, 'n.woofnb.out'), 'utf8').match(/"rows":\[[^\]]*\]/) ?? [];
    expect(spec).toBe('"rows":[{"n":1},{"n":3}]');
  });
});

describe('what cells did not change', () => {
  const leaf = (n: number, body = `y${n} = x + ${n}`) => cell(`id=leaf${n} type=code deps=root`, body);
  const root = cell('id=root type=code', 'x = 1');

  it('an edit of one leaf in the middle executes one cell', async () => {
    const leaves = Array.from({ length: 9 }, (_, n) => leaf(n));
    await run(graph(root, ...leaves));
    expect((await run(graph(root, ...leaves.with(4, leaf(4, 'y4 = x * 7'))))).executed).toEqual(['leaf4']);
  });

  it('a cell that documents itself before it imports does not see what others import', async () => {
    const leaf = (n: number, text: string) =>
      cell(`id=leaf${n} type=code`, `"""Part ${n}."""\nimport math as m\nprint(m.floor(${text}))`);
    await run(graph(leaf(1, '1.5'), leaf(2, '2.5')));
    expect((await run(graph(leaf(1, '3.5'), leaf(2, '2.5')))).executed).toEqual(['leaf1']);
  });

  it('a cell that cannot be restored does not run again for one that sees nothing of it', async () => {
    const heavy = cell('id=heavy type=code sidefx=none', 'g = (i for i in [1])');
    const mark = cell('id=mark type=code sidefx=none', 'seen = next(g)');
    await run(graph(heavy, mark, leaf(1, 'print("seen" in dir())'), root));
    const other = await run(graph(heavy, mark, root, leaf(1, 'print(x)')));
    expect(other).toMatchObject({ shown: { leaf1: '1' }, executed: ['leaf1'] });
  });

  it('the order holds if an earlier cell is needed only by a later one', async () => {
    const a = cell('id=a type=code', 'x = 1');
    const b = (n: number) => cell('id=b type=code', `x = ${n}`);
    const d = (text: string) => cell('id=d type=code deps=a,b', `print("${text}", x)`);
    await run(graph(a, b(2), d('first')));
    expect((await run(graph(a, b(3), d('second')))).shown.d).toBe('second 3');
  });

  it('a cell with effects is not repeated for one that does not depend on it', async () => {
    const first = cell('id=first type=code', 'x = 1');
    const log = cell('id=log type=code sidefx=fs', 'open("log.txt", "a").write("once ")');
    const use = (n: number) => cell('id=use type=code deps=first', `print(x + ${n})`);
    await run(graph(first, log, use(1)));
    await run(graph(first, log, use(2)));
    expect(readFileSync(join(folder.path, 'log.txt'), 'utf8')).toBe('once once ');
  });
});

describe('what a cell that failed left half done', () => {
  it('is visible in later cells, which are not cached', async () => {
    const fails = (n: number) => cell('id=fails type=code', `x = ${n}\nraise ValueError`);
    const other = cell('id=other type=code', 'print("other")');
    const use = cell('id=use type=code', 'print(x)');
    expect((await run(graph(fails(1), other, use))).shown.use).toBe('1');
    const again = await run(graph(fails(2), other, use));
    expect(again).toMatchObject({ shown: { use: '2' }, executed: ['fails', 'use'] });
  });
});

describe('woof why', () => {
  it('names earlier cells of the kernel, and says if only a run can tell', async () => {
    const a = (n: number) => cell('id=a type=code', `x = ${n}`);
    const j = (n: number) => cell('id=j type=code lang=js', `var x = ${n}`);
    const rest = [cell('id=b type=code', 'y = 1'), cell('id=k type=code lang=js', 'x')];
    await run(graph(a(1), j(1), ...rest));
    const why = async () => (await folder.woof('why', 'n.woofnb')).stdout;
    expect(await why()).not.toMatch(/would run/);
    folder.write('n.woofnb', graph(a(2), j(2), ...rest));
    const answer = await why();
    expect(answer).toMatch(/^b {2}it would come from the cache, unless it sees what earlier cells/m);
    expect(answer).toMatch(
      /^k {2}it would run: an earlier cell that it may see \(earlier\) changed since it last succeeded$/m,
    );
  });
});
