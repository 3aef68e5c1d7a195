import { describeUnless } from '@woof/testkit';
import { afterAll, expect, it } from 'vitest';
import { exerciseKernel } from '../exercise-kernel.ts';
import { KernelCase, runCell } from '../kernel-case.ts';
import { findKernelspecs, kernelspecNamed } from './kernelspecs.ts';

const spec = kernelspecNamed(await findKernelspecs(), 'ir');
const missing = spec ? undefined : 'there is no Jupyter kernel ir: install the package r-cran-irkernel';

if (missing) describeUnless(missing)('every kernel: ir', () => {});
else
  await exerciseKernel('r', {
    spec: { kernel: 'ir' },
    isAlwaysSandboxed: true,
    assign: (value) => `x <- ${value}`,
    print: 'cat(x, "\\n", sep = "")',
    alternate:
      'for (p in c("ab", "cd", "ef")) { cat(substr(p, 1, 1), "\\n", sep = ""); cat(substr(p, 2, 2), "\\n", sep = "", file = stderr()) }',
    ordered: false,
    fail: ['y <- 1\nstop("bad")', 'ERROR', /bad/],
    endless: 'repeat {}',
    suicide: 'tools::pskill(Sys.getpid(), 9); Sys.sleep(1000)',
    flood: (bytes) => `s <- strrep("x", 2^20); for (i in seq_len(${bytes} / 2^20)) cat(s)`,
    floodMiB: 12,
    printBound: 'cat(given[[1]], " ", woof[["given"]][[2]], "\\n", sep = "")',
    printParameter: 'cat(parameters$greeting, "\\n", sep = "")',
    setList: 'values <- list(list(a = 1.5, b = NULL), list(1L, "x"), NaN)',
    listRead: [{ a: 1.5, b: null }, [1, 'x'], null],
  });

describeUnless(missing)('ir', () => {
  const kernels = new KernelCase();
  afterAll(() => kernels.remove());

  it('says what failed without the line break of R', async () => {
    const kernel = await kernels.start('r', { kernel: 'ir' });
    const { error } = await runCell(kernel, 'stop("bad")');
    expect(error?.evalue).toMatch(/bad$/);
  });
  it('returns integers of any size and compares them by value', async () => {
    const kernel = await kernels.start('r', { kernel: 'ir' });
    await kernel.bind('x', [2n ** 64n, 3]);
    expect((await runCell(kernel, 'x <- sort(x); top <- max(x)')).error).toBeUndefined();
    expect([await kernel.read('x'), await kernel.read('top')]).toEqual([[3, 2n ** 64n], 2n ** 64n]);
  });
});
