import { findProgram } from '@woof/sandbox';
import { describeUnless, itUnless } from '@woof/testkit';
import { describe, expect, it } from 'vitest';
import { exerciseKernel } from '../exercise-kernel.ts';
import { KernelCase } from '../kernel-case.ts';
import { toR } from './r-driver.ts';

const installed = findProgram('Rscript') !== undefined;

describe('R', () => {
  it('gets values in its own words', () => {
    expect(toR({ a: [1, 2.5], b: ['x"\n', null], c: { d: true }, e: [] })).toBe(
      'list("a" = c(1, 2.5), "b" = list("x\\"\\n", NULL), "c" = list("d" = TRUE), "e" = list())',
    );
  });

  itUnless(installed ? 'R is installed' : undefined)('says what to install where it is missing', async () => {
    const kernels = new KernelCase();
    await expect(kernels.start('R')).rejects.toThrow(
      'there is no Rscript on the PATH: install the package r-base-core',
    );
    await kernels.remove();
  });
});

if (!installed) {
  describeUnless('there is no Rscript on the PATH')('every kernel: r', () => {});
} else {
  await exerciseKernel('r', {
    assign: (value) => `x <- ${value}`,
    print: 'cat(x, "\\n", sep = "")',
    alternate:
      'for (p in c("ab", "cd", "ef")) { cat(substr(p, 1, 1), "\\n", sep = ""); cat(substr(p, 2, 2), "\\n", sep = "", file = stderr()) }',
    ordered: false,
    last: ['a <- "é"\na', '[1] "é"'],
    fail: ['\nstop("bad")', 'simpleError'],
    exit: ['quit(status = 3)', 'simpleError'],
    endless: 'repeat {}',
    suicide: 'tools::pskill(Sys.getpid(), 9); Sys.sleep(1000)',
    flood: (bytes) => `s <- strrep("x", 65536); for (i in seq_len(${bytes} / 65536)) cat(s)`,
    invalidUtf8: 'writeBin(as.raw(c(0x61, 0xff, 0xc3, 0xa9, 10)), pipe("cat", "wb"))',
    printBound: 'cat(given[[1]], " ", woof[["given"]][[2]], "\\n", sep = "")',
    printParameter: 'cat(parameters$greeting, "\\n", sep = "")',
    setList: 'values <- list(list(a = 1.5, b = NULL), list(1, "x"), NaN)',
    listRead: [{ a: 1.5 }, [1, 'x'], null],
  });
}
