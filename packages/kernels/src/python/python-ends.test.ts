/** Code that shows when Python discards an object: it shows in the same cell, whether cells are tracked or not. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { afterAll, expect, it } from 'vitest';
import { FILES, KernelCase, runCell, whyNoSandbox } from '../kernel-case.ts';

const reason = await whyNoSandbox();

const CLASS = 'class D:\n    def __del__(self): print("end")';
const GENERATOR =
  'def waits():\n    try: yield 1\n    finally: print("closed"); log.append(1)\nlog = []\ng = waits()\n_ = next(g)';

describeUnless(reason)('the ends of Python objects', () => {
  const kernels = new KernelCase();
  afterAll(() => kernels.remove());
  writeFileSync(join(kernels.workdir, 'closing.py'), 'class D:\n    def __del__(self): pass\n');
  writeFileSync(join(kernels.workdir, 'watching.py'), 'from weakref import finalize as watch\n');
  const start = () => kernels.start('python', { policy: FILES });

  async function check(track: boolean, cells: string[], shown: string[]): Promise<void> {
    const kernel = await start();
    const found: string[] = [];
    for (const [index, code] of cells.entries()) {
      found.push((await runCell(kernel, code, { id: `c${index}`, track })).stdout);
      if (track) await kernel.capture();
    }
    await kernel.close();
    expect(found).toEqual(shown);
  }

  it.each<[string, string[], string[]]>([
    ['a replaced object', [CLASS, 'd = D()', 'd = 1\nprint("after")'], ['', '', 'end\nafter\n']],
    ['an object in a list', [CLASS, 'd = [D()]', 'd.clear(); print("after")'], ['', '', 'end\nafter\n']],
    ['a replaced generator', [GENERATOR, 'g = 1\nprint("after")'], ['', 'closed\nafter\n']],
    [
      'an object with a callback',
      [
        'class E: pass\ne = E()',
        'import weakref\n_ = weakref.finalize(e, print, "end")',
        'e = 1\nprint("after")',
      ],
      ['', '', 'end\nafter\n'],
    ],
    [
      'a cycle',
      [CLASS, 'd = D()\nd.me = d', 'del d\nprint("after")', 'print(1)'],
      ['', '', 'after\nend\n', '1\n'],
    ],
    [
      'what an error held',
      [CLASS, 'def f():\n    d = D()\n    d.me = d\n    raise ValueError\nf()', 'print(1)'],
      ['', 'end\n', '1\n'],
    ],
  ])('shows in its cell the end of %s', async (_, cells, shown) => {
    await check(false, cells, shown);
    await check(true, cells, shown);
  });

  it.each<[string, string]>([
    ['a class with __del__', CLASS],
    ['a method that is added later', 'class D: pass\nsetattr(D, "__del__", lambda self: print(1))'],
    ['weakref', 'from weakref import finalize'],
    ['atexit', 'import atexit\n_ = atexit.register(print, 1)'],
    ["a module in the notebook's folder with such a class", 'import closing'],
    ["a module in the notebook's folder that uses weakref", 'import watching'],
  ])('counts every cell from then on as a change of anything: %s', async (_, code) => {
    const kernel = await start();
    await runCell(kernel, 'a = 1', { track: true });
    expect(await kernel.capture()).toMatchObject({ complete: true, names: ['a'] });
    for (const next of [code, 'b = 2']) {
      await runCell(kernel, next, { track: true });
      expect(await kernel.capture()).toEqual({
        complete: false,
        reason: 'cells may show when Python discards an object',
      });
    }
  });

  it('lets go of what a restored cell replaces before it restores the new state', async () => {
    const first = await start();
    await runCell(first, GENERATOR, { track: true });
    await runCell(first, 'g = 1\nlog', { track: true });
    const capture = await first.capture();
    expect(capture).toMatchObject({ complete: true, names: ['g', 'log'] });
    const second = await start();
    await runCell(second, GENERATOR, { track: true });
    if (capture.complete) await second.restore(capture.symbols);
    expect((await runCell(second, '(g, log)')).result).toBe('(1, [1])');
  });
});
