import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Float, isObject, type Json, makeFloat } from '@woof/net';
import { findProgram } from '@woof/sandbox';
import { describeUnless, itUnless } from '@woof/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { exerciseKernel } from '../exercise-kernel.ts';
import { KernelCase, runCell, SHELL, whyNoSandbox } from '../kernel-case.ts';
import { toR } from './r-driver.ts';

const installed = findProgram('Rscript') !== undefined;

/** Installs the package `kept` in a library inside the folder, as renv does. */
function installPackage({ root, workdir }: KernelCase): string {
  const [source, library] = [join(root, 'kept'), join(workdir, 'rlib')];
  for (const folder of [source, join(source, 'R'), library]) mkdirSync(folder);
  writeFileSync(join(source, 'DESCRIPTION'), 'Package: kept\nVersion: 1.0\nAuthor: A\nMaintainer: A <a@b>\n');
  writeFileSync(join(source, 'NAMESPACE'), 'export(f)\n');
  writeFileSync(join(source, 'R', 'f.R'), 'f <- function() 1\n');
  const fast = ['--no-docs', '--no-test-load', '--no-byte-compile'];
  execFileSync(findProgram('R')!, ['CMD', 'INSTALL', ...fast, '-l', library, source], { stdio: 'ignore' });
  return library;
}

/** One value is a vector of R too, and a vector has one kind of number. */
function withRNumbers(value: Json): Json {
  if (isNumber(value)) return sameKind([value])[0]!;
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, withRNumbers(v)]));
  if (!Array.isArray(value)) return value;
  const items = value.every(isNumber) ? sameKind(value) : value.map(withRNumbers);
  const [first] = value;
  const isVector = value.length === 1 && first !== null && !Array.isArray(first) && !isObject(first!);
  return isVector ? items[0]! : items;
}

/** Vectors of `integer` come back as they are. In vectors of `numeric`, one large whole number makes all integers. */
function sameKind(values: (number | Float)[]): Json[] {
  const numbers = values.map(Number);
  const isLarge = numbers.some((each) => Math.abs(each) >= 2 ** 31);
  if (!isLarge && values.every(Number.isInteger)) return values;
  return isLarge && numbers.every(Number.isSafeInteger)
    ? numbers.map((each) => each + 0)
    : numbers.map(makeFloat);
}
const isNumber = (value: Json) => value instanceof Float || typeof value === 'number';

describe('R', () => {
  it('receives values in R syntax', () => {
    expect(toR({ a: [1, 2.5], b: ['x"\n', null], c: { d: true }, e: [] })).toBe(
      'list("a" = c(1L, 2.5), "b" = list("x\\"\\n", NULL), "c" = list("d" = TRUE), "e" = list())',
    );
  });

  itUnless(installed ? 'R is installed' : undefined)('says what to install if it is missing', async () => {
    const kernels = new KernelCase();
    await expect(kernels.start('R')).rejects.toThrow(
      'Rscript is not on the PATH: install the package r-base-core',
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
    fail: ['\nstop("bad")', 'Error', /^<prep>:2: stop\("bad"\)$/m],
    exit: ['quit(status = 3)', 'Error'],
    closes: 'closeAllConnections()',
    endless: 'repeat {}',
    suicide: 'tools::pskill(Sys.getpid(), 9); Sys.sleep(1000)',
    flood: (bytes) => `s <- strrep("x", 65536); for (i in seq_len(${bytes} / 65536)) cat(s)`,
    invalidUtf8: 'cat(rawToChar(as.raw(c(0x61, 0xff, 0xc3, 0xa9, 10))))',
    printBound: 'cat(given[[1]], " ", woof[["given"]][[2]], "\\n", sep = "")',
    printParameter: 'cat(parameters$greeting, "\\n", sep = "")',
    setList: 'values <- list(list(a = 1.5, b = NULL), list(1L, "x"), NaN)',
    listRead: [{ a: 1.5, b: null }, [1, 'x'], null],
    kept: withRNumbers,
  });

  const reason = await whyNoSandbox();
  describeUnless(reason)('an R cell', () => {
    const kernels = new KernelCase();
    afterAll(() => kernels.remove());

    it('preserves numbers as far as R supports them', async () => {
      const kernel = await kernels.start('r');
      const values = [
        1,
        new Float(1),
        -0.5,
        2 ** 31,
        2 ** 53 - 1,
        new Float(1e300),
        new Float(-0),
        0.1,
        null,
      ];
      await kernel.bind('given', [...values, 'x']);
      expect(await kernel.read('given')).toEqual([...values, 'x']);
      await kernel.bind('ints', [1, 2]);
      await kernel.bind('floats', [1, 2.5]);
      expect([await kernel.read('ints'), await kernel.read('floats')]).toEqual([
        [1, 2],
        [new Float(1), 2.5],
      ]);
    });

    describe('with integers beyond 2^53', () => {
      const long = 2n ** 64n;
      const bound = async (values: Record<string, Json>) => {
        const kernel = await kernels.start('r');
        for (const [name, value] of Object.entries(values)) await kernel.bind(name, value);
        return kernel;
      };

      it('returns them unchanged: alone, in vectors, lists and data frames', async () => {
        const kernel = await bound({ x: long, xs: [long, 3, -long], mixed: [long, 1.5, null, 'a'] });
        await kernel.bind('t', { d: null }, { d: { n: [1, null, long], k: [1, 2, 3] } });
        await runCell(
          kernel,
          `one <- xs[[3]]; xs[2] <- 9L; lot <- list(a = x, b = lapply(xs, identity)); made <- exact_integer("99999999999999999999")
d <- t$d[order(t$d$n, decreasing = TRUE), ]; both <- c(x, 5L); top <- max(xs); gmp <- structure(1, class = "bigz")
registerS3method("as.character", "bigz", function(x, ...) "123456789012345678901")`,
        );
        const read = (name: string) => kernel.read(name);
        expect(await read('x')).toBe(long);
        expect(await read('xs')).toEqual([long, 9, -long]);
        expect(await read('mixed')).toEqual([long, 1.5, null, 'a']);
        expect(await read('one')).toBe(-long);
        expect(await read('lot')).toEqual({ a: long, b: [long, 9, -long] });
        expect(await read('made')).toBe(99999999999999999999n);
        const rows = [
          { n: long, k: 3 },
          { n: 1, k: 1 },
          { n: null, k: 2 },
        ];
        expect(await read('d')).toEqual(rows);
        expect(await read('both')).toEqual([long, 5]);
        expect(await read('top')).toBe(long);
        expect(await read('gmp')).toBe(123456789012345678901n);
      });

      it('gives a column that also has floats as text', async () => {
        const kernel = await bound({});
        await kernel.bind('t', { d: null }, { d: { n: [long, 1.5, null] } });
        await runCell(kernel, 'n <- t$d$n');
        expect(await kernel.read('n')).toEqual([String(long), '1.5', null]);
      });

      it('accepts empty names', async () => {
        const kernel = await bound({ x: { '': 1, a: { '': {} } } });
        await kernel.bind('t', { d: null }, { d: { '': [1, 2], n: [3, 4] } });
        await runCell(kernel, 'd <- t$d; size <- dim(d)');
        expect(await kernel.read('x')).toEqual({ '': 1, a: { '': {} } });
        expect(await kernel.read('size')).toEqual([2, 2]);
      });

      it('prints, compares and sorts them by value', async () => {
        const kernel = await bound({ x: [long, 7, -long, long + 1n] });
        const code = `x
c(x == "7", x < 2^64, x > -Inf, x[1] < x[4], x[2] < 7.5, x[3] == x[3])
sort(x)[c(1, 4)]
data.frame(x)
paste(as.numeric(x[1]))`;
        expect(
          (await runCell(kernel, code)).stdout,
        ).toBe(`[1]  18446744073709551616                     7 -18446744073709551616
[4]  18446744073709551617
 [1] FALSE  TRUE FALSE FALSE FALSE  TRUE  TRUE FALSE  TRUE  TRUE  TRUE  TRUE
[13]  TRUE  TRUE  TRUE
[1] -18446744073709551616  18446744073709551617
                      x
1  18446744073709551616
2                     7
3 -18446744073709551616
4  18446744073709551617
`);
      });

      it.each(['x + 1L', '-x', 'sum(x)', 'abs(x)', 'mean(x)', 'seq(x, length.out = 2)'])(
        'refuses %s and says what to do',
        async (code) => {
          const { error } = await runCell(await bound({ x: long }), code);
          expect(error?.evalue).toMatch(
            /of an exact_integer: R cannot compute exactly beyond 2\^53\. as\.numeric\(x\) loses digits; gmp::as\.bigz/,
          );
        },
      );

      it('takes NULL as no values', async () => {
        const code = `made <- exact_integer(NULL)
checks <- c(identical(x == NULL, logical(0)), identical(NULL < x, logical(0)), max(x, NULL) == x,
  identical(c(made, x), x), length(x[0]) == 0, length(rep(x, 0)) == 0)`;
        const kernel = await bound({ x: long });
        expect((await runCell(kernel, code)).error).toBeUndefined();
        expect(await kernel.read('made')).toEqual([]);
        expect(await kernel.read('checks')).toEqual(Array(6).fill(true));
      });

      it.each(['max(x[0])', 'min(x[0], NULL)', 'max(x[c(NA, NA)], na.rm = TRUE)'])(
        'gives a missing value for %s, with a warning',
        async (code) => {
          const { stderr, result } = await runCell(await bound({ x: [long, 1] }), code);
          expect(result).toBe('[1] <NA>');
          expect(stderr).toMatch(/no non-missing arguments to (min|max); returning NA/);
        },
      );

      it('finds keys that are exact integers on both sides', async () => {
        const code = `rows <- merge(data.frame(k = x, a = 1:2), data.frame(k = exact_integer(c(2^53, 1e5)), b = 3:4))
at <- c(match(exact_integer(1e5), x), match(max(x), x))`;
        const kernel = await bound({ x: [long, 100_000] });
        expect((await runCell(kernel, code)).error).toBeUndefined();
        expect(await kernel.read('rows')).toEqual([{ k: 100_000, a: 2, b: 4 }]);
        expect(await kernel.read('at')).toEqual([2, 1]);
      });

      it('counts along several with seq', async () => {
        expect((await runCell(await bound({ x: [long, 7, 8] }), 'seq(x)')).result).toBe('[1] 1 2 3');
      });

      it.each(['"1.5"', '2^60', '1.5', '"x"'])('makes none of %s', async (value) => {
        const { error } = await runCell(await kernels.start('r'), `exact_integer(${value})`);
        expect(error?.evalue).toMatch(
          /exact_integer: (expected digits|.* is not a whole number up to 2\^53)/,
        );
      });
    });

    it('gives empty vectors and every character', async () => {
      const kernel = await kernels.start('r');
      const code = `texts <- character(0)
levels <- factor(character(0))
inner <- list(a = character(0), b = c("", NA))
rows <- data.frame(x = character(0), y = integer(0))
odd <- "\\u0001\\b\\f\\u001f\\u007f\\u0085\\u2028\\u2029\\\\u0041"`;
      expect((await runCell(kernel, code)).error).toBeUndefined();
      expect(await kernel.read('texts')).toEqual([]);
      expect(await kernel.read('levels')).toEqual([]);
      expect(await kernel.read('inner')).toEqual({ a: [], b: ['', null] });
      expect(await kernel.read('rows')).toEqual([]);
      expect(await kernel.read('odd')).toBe('\u0001\b\f\u001f\u007f\u0085\u2028\u2029\\u0041');
      await kernel.bind('back', '\u0001\b\f\u001f\u007f\u0085\u2028\u2029\\u0041');
      expect(await kernel.read('back')).toBe('\u0001\b\f\u001f\u007f\u0085\u2028\u2029\\u0041');
    });

    it('prints every visible value, and returns the last', async () => {
      const ran = await runCell(await kernels.start('r'), '1:3\nx <- 5\ninvisible(x)\nsum(x, 1)');
      expect(ran).toMatchObject({ status: 'ok', stdout: '[1] 1 2 3\n', result: '[1] 6' });
    });

    it('has the packages that R loads by default, even if no program is visible', async () => {
      const ran = await runCell(
        await kernels.start('r'),
        'c(median(1:3), head(letters, 1), Sys.which("ls"))',
      );
      expect(ran.result).toBe('         ls \n"2" "a"  "" ');
    });

    it('reports the lines of the cell that led to an error', async () => {
      const code = 'f <- function(a) {\n  stop("bad ", a)\n}\n\nf(3)';
      const { error } = await runCell(await kernels.start('r'), code, { id: 'prep' });
      expect(error).toEqual({
        ...{ output_type: 'error', ename: 'Error', evalue: 'in f(3): bad 3' },
        traceback: ['<prep>:5: f(3)', '<prep>:2: stop("bad ", a)', 'Error: in f(3): bad 3'],
      });
    });

    it('reports an error in an anonymous function', async () => {
      const { error } = await runCell(await kernels.start('r'), 'do.call(function(x) stop("bad"), list(1))');
      expect(error?.evalue).toMatch(/: bad$/);
    });

    it('reports where the code is not valid R', async () => {
      const { error } = await runCell(await kernels.start('r'), 'x <- 1\ny <- ]', { id: 'prep' });
      expect(error?.evalue).toMatch(/^<prep>:2:6: unexpected ']'/);
    });

    it('warns on stderr', async () => {
      const ran = await runCell(await kernels.start('r'), 'x <- as.integer("x"); message("said")');
      expect(ran).toMatchObject({
        status: 'ok',
        stderr: 'Warning: NAs introduced by coercion \nsaid\n',
      });
    });

    it('shows each plot as a picture, before the last value', async () => {
      const ran = await runCell(await kernels.start('r'), 'plot(1:3, main = "é")\nhist(c(1, 2, 2))$counts');
      const shown = ran.outputs.map((o) => ('data' in o ? Object.keys(o.data) : o.output_type));
      expect(shown).toEqual([['image/png'], ['image/png'], ['text/plain']]);
      const [first] = ran.outputs.flatMap((o) => ('data' in o ? [String(o.data['image/png'])] : []));
      expect(Buffer.from(first!, 'base64').subarray(1, 4).toString()).toBe('PNG');
    });

    it('shows a table as text and as HTML, and returns it as records', async () => {
      const kernel = await kernels.start('r');
      const ran = await runCell(kernel, 'd <- data.frame(n = c(1L, NA), t = c("a", "<b>"))\nd');
      expect(ran.outputs[0]).toMatchObject({
        data: {
          'text/html':
            '<table><tr><th>n</th><th>t</th></tr><tr><td> 1</td><td>a  </td></tr><tr><td>NA</td><td>&lt;b></td></tr></table>',
        },
      });
      expect(await kernel.read('d')).toEqual([
        { n: 1, t: 'a' },
        { n: null, t: '<b>' },
      ]);
    });

    it('shows row names if there are any', async () => {
      const kernel = await kernels.start('r');
      const ran = await runCell(kernel, 'data.frame(n = 1:2, row.names = c("x", "<y>"))');
      expect(ran.outputs[0]).toMatchObject({
        data: {
          'text/html':
            '<table><tr><th></th><th>n</th></tr><tr><th>x</th><td>1</td></tr><tr><th>&lt;y></th><td>2</td></tr></table>',
        },
      });
    });

    it('refuses programs and the network with the name of the policy, unless they are allowed', async () => {
      const kernel = await kernels.start('r');
      const refused = async (code: string) => (await runCell(kernel, code)).error;
      for (const code of ['system("true")', 'x <- system2("true")', 'pipe("true")']) {
        const evalue = expect.stringMatching(/^starting another program.*sidefx=shell.*--allow shell/);
        expect(await refused(code)).toMatchObject({ ename: 'PolicyError', evalue });
      }
      for (const code of [
        'readLines(url("http://127.0.0.1:9/"))',
        'readLines("http://127.0.0.1:9/")',
        'readLines("HTTP://127.0.0.1:9/")',
        'read.csv("https://127.0.0.1:9/")',
        'download.file("http://127.0.0.1:9/", "x")',
      ]) {
        const evalue = expect.stringMatching(/^network access.*sidefx=net.*--allow network/);
        expect(await refused(code)).toMatchObject({ ename: 'PolicyError', evalue });
      }
      for (const code of ['readLines("data.txt")', 'writeLines("x", "made.txt")', 'sink("sub/made.txt")']) {
        const evalue = expect.stringMatching(/^access to the file .*sidefx=fs.*--allow files/);
        expect(await refused(code)).toMatchObject({ ename: 'PolicyError', evalue });
      }
      const allowed = await kernels.start('r', { policy: SHELL });
      expect(
        await runCell(allowed, 'cat(system("true"), readLines("data.txt", warn = FALSE))'),
      ).toMatchObject({
        status: 'ok',
        stdout: '0 the data',
      });
    });

    it('loads packages from a library in the folder without files, and nothing else there', async () => {
      const library = installPackage(kernels);
      const kernel = await kernels.start('r', { sandbox: false, env: { R_LIBS: library } });
      const code = 'library(kept); cat(f(), getNamespaceInfo("kept", "path"))';
      expect(await runCell(kernel, code)).toMatchObject({ status: 'ok', stdout: `1 ${library}/kept` });
      for (const beyond of [
        'readLines("rlib/../data.txt")',
        'writeLines("x", "rlib/x")',
        'file("rlib/x", "r+")',
      ])
        expect((await runCell(kernel, beyond)).error, beyond).toMatchObject({ ename: 'PolicyError' });
    });

    it('moves variables, functions, packages, options and random numbers', async () => {
      const kernel = await kernels.start('r');
      await kernel.bind('given', [1, 2]);
      await runCell(
        kernel,
        'x <- 5; f <- function(y) x + y; library(tools); options(digits = 3); set.seed(1)',
      );
      const moved = await kernels.start('r', { policy: SHELL });
      await moved.load((await kernel.save())!);
      const code = 'cat(f(1), toTitleCase("a b"), format(pi), given, woof$given, runif(1))';
      const { stdout } = await runCell(moved, code);
      expect(stdout).toBe((await runCell(kernel, code)).stdout);
      expect(stdout).toMatch(/^6 a b 3.14 1 2 1 2 0.266/);
    });

    it('continues after a cell that left its output diverted', async () => {
      const kernel = await kernels.start('r');
      expect(await runCell(kernel, 'sink(tempfile()); print(1)')).toMatchObject({ status: 'ok', stdout: '' });
      expect(await runCell(kernel, 'print(2)')).toMatchObject({ status: 'ok', stdout: '[1] 2\n' });
    });
  });
}
