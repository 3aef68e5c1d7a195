/** Real numpy, pandas and matplotlib, if they are installed: they need more of the system than Python itself. */

import { execFileSync } from 'node:child_process';
import { Float } from '@woof/net';
import { findInterpreter } from '@woof/sandbox';
import { describeUnless, itUnless } from '@woof/testkit';
import { afterAll, expect } from 'vitest';
import { KernelCase, runCell, whyNoSandbox } from '../kernel-case.ts';

const reason = await whyNoSandbox();

async function missing(module: string): Promise<string | undefined> {
  try {
    execFileSync((await findInterpreter()).executable, ['-I', '-c', `import ${module}`], { stdio: 'ignore' });
    return undefined;
  } catch {
    return `${module} is not installed`;
  }
}
const noNumpy = await missing('numpy');
const noPandas = await missing('pandas');
const noMatplotlib = await missing('matplotlib');
const noScipy = await missing('scipy');
const noIPython = await missing('IPython.core.display_functions');

describeUnless(reason)('libraries in a Python kernel', () => {
  const kernels = new KernelCase();
  afterAll(() => kernels.remove());

  itUnless(noNumpy)('computes with numpy, reads arrays, captures what does not share memory', async () => {
    const kernel = await kernels.start('python');
    const run = async (id: string, code: string) => {
      expect((await runCell(kernel, code, { id, track: true })).error).toBeUndefined();
      const capture = await kernel.capture();
      return capture.complete ? capture.names : capture.reason;
    };
    await run('load', 'import numpy as np\na = np.arange(3)');
    expect(await kernel.read('a')).toEqual([0, 1, 2]);
    expect(await run('new', 'b = a * 2.0')).toEqual(['b']);
    expect(await run('view', 'c = a[:2]')).toMatch(/share objects/);
    expect(await run('changed', 'b[0] = 7')).toEqual(['b']);
    expect(await run('seed', 'np.random.seed(4)')).toBeUndefined();
  });

  itUnless(noIPython)('shows what a cell displays with IPython', async () => {
    const kernel = await kernels.start('python');
    const code = 'from IPython.display import display, HTML\ndisplay(HTML("<b>hi</b>"))';
    const { outputs, error } = await runCell(kernel, code);
    expect(error).toBeUndefined();
    expect(outputs).toMatchObject([{ output_type: 'display_data', data: { 'text/html': '<b>hi</b>' } }]);
  });

  const all = noNumpy ?? noPandas ?? noMatplotlib ?? noScipy;

  async function captured(code: string) {
    const kernel = await kernels.start('python');
    expect((await runCell(kernel, code, { track: true })).error).toBeUndefined();
    const capture = await kernel.capture();
    await kernel.close();
    return { complete: capture.complete, names: capture.names };
  }

  itUnless(all)('loading a library is not a change, but setting something in it is', async () => {
    const load =
      'import numpy as np, pandas as pd, random, scipy.stats, statistics\nimport matplotlib.pyplot as plt\n';
    const names = ['np', 'pd', 'plt', 'random', 'scipy', 'statistics'];
    const use = 'df = pd.DataFrame({"a": np.arange(3)})\nplt.plot(df.a)\nplt.show()';
    expect(await captured(load + use)).toEqual({ complete: true, names: ['df', ...names] });
    for (const change of ['import numpy as np; np.random.seed(1)', 'import random; random.seed(1)'])
      expect(await captured(change)).toEqual({ complete: true, names: undefined });
    for (const change of [
      'import numpy as np; np.set_printoptions(precision=2)',
      'import numpy as np; _ = np.seterr(all="raise")',
      'import pandas as pd; pd.options.display.max_rows = 3',
      'import matplotlib.pyplot as plt; plt.rcParams["lines.linewidth"] = 7',
      'import warnings; warnings.filterwarnings("ignore", message="x")',
    ])
      expect(await captured(change), change).toEqual({ complete: false, names: undefined });
  });

  itUnless(all)(
    'what libraries prepare for the first figure is not a change, nor is a repeated import',
    async () => {
      const kernel = await kernels.start('python');
      const run = async (code: string) => {
        expect((await runCell(kernel, code, { track: true })).error).toBeUndefined();
        return kernel.capture();
      };
      await run('import matplotlib.pyplot as plt, PIL.Image');
      expect(await run('plt.plot([1, 2])\nplt.show()')).toMatchObject({ complete: true, names: [] });
      const again = {
        names: ['mean', 'plt'],
        imports: { plt: 'matplotlib.pyplot', mean: 'statistics.mean' },
      };
      const code = 'import matplotlib.pyplot as plt\nfrom statistics import mean';
      expect(await run(code)).toMatchObject({ complete: true, ...again });
      expect(await run(code)).toMatchObject({ complete: true, ...again });
      const reason = 'it changed matplotlib rcParams';
      expect(await run('plt.switch_backend("svg")')).toMatchObject({ complete: false, reason });
      expect(await run('PIL.Image._initialized = 0')).toMatchObject({ complete: false });
    },
  );

  itUnless(noPandas)(
    'shows pandas tables, returns them as records and as columns, and accepts them',
    async () => {
      const kernel = await kernels.start('python');
      const code = `import pandas as pd
d = pd.DataFrame({"n": [1, None], "t": ["a", "<b>"], "when": pd.to_datetime(["2024-05-01", None])})
d`;
      const { outputs, stderr } = await runCell(kernel, code);
      expect(stderr).toBe('');
      expect(outputs[0]).toMatchObject({
        output_type: 'execute_result',
        data: {
          'text/plain': expect.stringContaining('2024-05-01'),
          'text/html': expect.stringContaining('&lt;b&gt;'),
        },
      });
      const when = expect.stringMatching(/^2024-05-01T00:00:00/) as string;
      const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
      expect(plain(await kernel.read('d'))).toEqual([
        { n: 1, t: 'a', when },
        { n: null, t: '<b>', when: null },
      ]);
      const table = { n: [1, null], t: ['a', '<b>'], when: [when, null] };
      expect(plain(await kernel.share('d'))).toEqual({ table });
      await kernel.bind('r1', { x: 1 }, { d: { ...table, when: ['2024-05-01', null] } });
      const read =
        'print(type(r1["d"]).__name__, list(r1["d"].dtypes.astype(str)), r1["x"], r1["d"].n.isna().sum())';
      expect((await runCell(kernel, read)).stdout).toBe("DataFrame ['float64', 'object', 'object'] 1 1\n");
    },
  );

  itUnless(noPandas)('keeps the digits of integers in columns that pandas would make floats', async () => {
    const kernel = await kernels.start('python');
    const long = 9007199254740993n;
    const columns = {
      gap: [long, null],
      mixed: [long, 1.5],
      signs: [2n ** 63n + 1n, -1],
      small: [1, null],
      whole: [long, 2],
    };
    await kernel.bind('r1', {}, { d: columns });
    const read = 'd = r1["d"]\nprint(*d.dtypes, d.gap.isna().sum())';
    const { stdout } = await runCell(kernel, read);
    expect(stdout).toMatch(/^object object object float64 int64 1\n$/);
    expect(await kernel.share('d')).toEqual({ table: { ...columns, small: [new Float(1), null] } });
  });

  itUnless(noMatplotlib)('draws with matplotlib, and reports that its settings changed', async () => {
    const kernel = await kernels.start('python');
    const { outputs, stderr } = await runCell(
      kernel,
      'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()',
    );
    expect(stderr).toBe('');
    expect(outputs.map((o) => 'data' in o && Object.keys(o.data))).toContainEqual([
      'text/plain',
      'image/png',
    ]);
    await runCell(kernel, 'plt.rcParams["lines.linewidth"] = 7', { track: true });
    expect(await kernel.capture()).toMatchObject({ complete: false });
  });
});
