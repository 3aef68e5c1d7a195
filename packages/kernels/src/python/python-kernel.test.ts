import { afterAll, describe, expect, it } from 'vitest';
import { KernelCase, runCell, whyNoSandbox } from '../kernel-case.ts';

const reason = await whyNoSandbox();

describe.skipIf(reason)('a Python kernel', () => {
  const kernels = new KernelCase();
  afterAll(() => kernels.remove());

  it('shares names, shows the last value, keeps the order of outputs', async () => {
    const kernel = await kernels.start('python', { parameters: { a: 1 } });
    expect(await runCell(kernel, 'import sys\nx = parameters["a"] + 1')).toMatchObject({
      status: 'ok',
      outputs: [],
    });
    expect((await runCell(kernel, 'x, woof.parameters')).result).toBe("(2, {'a': 1})");
    const code = 'print("a"); print("b", file=sys.stderr); print("c"); display(5); print("d"); x';
    expect(
      (await runCell(kernel, code)).outputs.map((o) =>
        'text' in o ? o.text : 'data' in o && o.data['text/plain'],
      ),
    ).toEqual(['a\n', 'b\n', 'c\n', '5', 'd\n', '2']);
  });

  it('shows the lines of the cell, and survives its error', async () => {
    const kernel = await kernels.start('python');
    const { status, error } = await runCell(kernel, 'def f():\n    raise ValueError("bad")\n\nf()', {
      id: 'prep',
    });
    expect(status).toBe('error');
    expect(error).toMatchObject({ ename: 'ValueError', evalue: 'bad' });
    expect(error?.traceback).toEqual([
      'Traceback (most recent call last):',
      '  File "<prep>", line 4, in <module>',
      '    f()',
      '  File "<prep>", line 2, in f',
      '    raise ValueError("bad")',
      'ValueError: bad',
    ]);
    expect((await runCell(kernel, '1 + 1')).result).toBe('2');
  });
});
