/**
 * Cells of installed Jupyter kernels through the real binary: session, cache, what runs again. And exported notebooks
 * in Jupyter, as nbclient runs them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findKernelspecs, kernelspecNamed } from '../../packages/kernels/src/jupyter/kernelspecs.ts';
import { type Account, Folder } from '../playbook/run-playbook.ts';

const fence = '```';
const cell = (tokens: string, body: string) => `\n${fence}cell ${tokens}\n${body}\n${fence}\n`;
const found = kernelspecNamed(await findKernelspecs(), 'python3');

describeUnless(found ? undefined : 'there is no Jupyter kernel python3: install python3-ipykernel')(
  'cells of a Jupyter kernel',
  () => {
    let folder: Folder;
    beforeEach(() => {
      folder = new Folder();
    });
    afterEach(() => folder.dispose());

    async function run(...cells: string[]) {
      const header =
        '%WOOFNB 1.0\nname: test\nlanguage: python\nexecution: {order: graph, cache: content-hash}\n';
      const file = folder.write('n.woofnb', header + cells.join(''));
      const { stdout } = await folder.woof('run', file, '--json');
      const { steps } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Account;
      const lines = readFileSync(join(folder.path, 'n.woofnb.out'), 'utf8').trim().split('\n');
      const cached = lines.map((line) => JSON.parse(line) as { cell: string; cached?: boolean });
      return { steps, cached: cached.filter((line) => line.cached).map((line) => line.cell) };
    }

    const first = cell('id=first type=code kernel=python3', 'x = 20');
    const second = (n: number) => cell('id=second type=code kernel=python3 deps=first', `x + ${n}`);
    const own = cell('id=own type=code', 'x = "of another kernel"\nx');

    it('share their own kernel, come from the cache, and run again if a later cell needs them', async () => {
      const cold = await run(first, own, second(1));
      expect(cold.steps.second).toMatchObject({ status: 'succeeded', result: '21' });
      expect(cold.cached).toEqual([]);
      expect((await run(first, own, second(1))).cached).toEqual(['first', 'own', 'second']);
      const changed = await run(first, own, second(2));
      expect(changed.cached).toEqual(['first', 'own']);
      expect(changed.steps.second).toMatchObject({ status: 'succeeded', result: '22' });
    });

    it('are refused if there is no such kernel', async () => {
      const { steps } = await run(cell('id=a type=code kernel=pyton3', '1'));
      expect(steps.a!.error).toMatchObject({
        message: expect.stringMatching(/no kernel named "pyton3"; did you mean "python3"\?/),
      });
    });
  },
);

/** With other values after the parameters, as papermill runs a notebook. They are removed again. */
const NBCLIENT = `
import sys, nbformat, nbclient
path, injected = sys.argv[1:]
nb = nbformat.read(path, 4)
nbformat.validate(nb)
at = next(i for i, c in enumerate(nb.cells) if "parameters" in c.metadata.get("tags", []))
nb.cells.insert(at + 1, nbformat.v4.new_code_cell(injected))
nbclient.NotebookClient(nb, timeout=None, kernel_name="python3").execute()
del nb.cells[at + 1]
nbformat.write(nb, path)
`;
/** In place of rpy2: shows that R is loaded, and which code reaches it. */
const RPY2 = `
def load_ipython_extension(shell):
    shell.register_magic_function(lambda line, cell: print("R got", cell), "cell", "R")
`;
const PYTHON = '/usr/bin/python3';
const hasClient = spawnSync(PYTHON, ['-c', 'import nbclient, ipykernel'], { stdio: 'ignore' }).status === 0;

describeUnless(
  hasClient ? undefined : 'there is no nbclient: install python3-nbclient and python3-ipykernel',
)('an exported notebook', () => {
  it('runs in Jupyter and comes back unchanged', async () => {
    const folder = new Folder();
    const text = `%WOOFNB 1.0
# kept
name: n
language: python
parameters: {n: 3, label: "it's \\"x\\"", "max rows": [true, null]}
execution: {order: graph}
io_policy: {allow_shell: true}
${cell('id=show type=code deps=cfg,sums', 'print(cfg["rate"], cfg["on"], sums, parameters, woof.parameters["n"])\n"n" in globals()')}${cell('id=title type=md', '# T')}${cell('id=cfg type=data', '{"rate": 1.5,\n "on": true}')}${cell('id=my-rows type=data', '- {a: 1}\n- {a: null}')}${cell('id=sums type=code deps=my-rows', 'sums = [row["a"] for row in woof["my-rows"]]')}${cell('id=shell type=bash sidefx=shell', 'echo "from $BASH"')}${cell('id=off type=code disabled=true', 'raise SystemError')}${cell('id=chart type=viz deps=my-rows', '{"data": {"name": "my-rows"}, "mark": "bar"}')}${cell('id=t type=test deps=sums', 'assert sums == [1, None]')}${cell('id=js type=code lang=javascript', '1 + 1')}${cell('id=mean type=code lang=r name="In R"', 'mean(c(1, 2))')}`;
    folder.write('n.woofnb', text);
    mkdirSync(join(folder.path, 'rpy2'));
    folder.write('rpy2/ipython.py', RPY2);
    expect((await folder.woof('export', 'n.woofnb', '--ipynb', 'n.ipynb')).code).toBe(0);
    const path = join(folder.path, 'n.ipynb');
    execFileSync(PYTHON, ['-c', NBCLIENT, path, 'n = 10'], {
      ...{ stdio: 'pipe', env: { ...process.env, PYTHONPATH: folder.path } },
    });
    const { cells } = JSON.parse(readFileSync(path, 'utf8')) as {
      cells: { id: string; outputs?: { text?: string[]; data?: Record<string, unknown> }[] }[];
    };
    const outputsOf = (id: string) => cells.find((each) => each.id === id)!.outputs!;
    const parameters = `{'n': 10, 'label': 'it\\'s "x"', 'max rows': [True, None]}`;
    expect(outputsOf('show')).toMatchObject([
      { text: [`1.5 True [1, None] ${parameters} 10\n`] },
      { data: { 'text/plain': ['False'] } },
    ]);
    expect(outputsOf('shell')).toMatchObject([{ text: [expect.stringMatching(/^from .*bash\n$/)] }]);
    expect(outputsOf('js')).toMatchObject([{ data: { 'application/javascript': ['1 + 1\n'] } }]);
    expect(outputsOf('mean')).toMatchObject([{ text: ['R got mean(c(1, 2))\n', '\n'] }]);
    expect(outputsOf('chart')).toMatchObject([
      { data: { 'application/vnd.vegalite.v5+json': { datasets: { 'my-rows': [{ a: 1 }, { a: null }] } } } },
    ]);
    expect((await folder.woof('import', 'n.ipynb', '--woofnb', 'back.woofnb')).code).toBe(0);
    expect(readFileSync(join(folder.path, 'back.woofnb'), 'utf8')).toBe(text);
    folder.dispose();
  });
});
