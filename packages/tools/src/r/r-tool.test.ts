import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Float, type Json, type JsonObject } from '@woof/net';
import { findProgram } from '@woof/sandbox';
import { describeUnless } from '@woof/testkit';
import { afterAll, expect, it } from 'vitest';
import { CodeCase, FILES, SHELL, whyNot } from '../code-case.ts';
import { exerciseTool } from '../exercise-tool.ts';
import { createRTool } from './r-tool.ts';

const noR = findProgram('Rscript') ? undefined : 'there is no Rscript on the PATH';

describeUnless(noR ?? (await whyNot()))('r', () => {
  const r = new CodeCase(createRTool());
  afterAll(() => r.remove());
  const resultOf = async (code: string, args: JsonObject = {}, more = {}) => {
    const outcome = await r.run({ code, args }, {}, {}, more);
    expect(outcome.error).toBeUndefined();
    return outcome.result;
  };

  exerciseTool('r', {
    make: createRTool,
    good: [{ input: { code: 'result <- 1L' } }],
    bad: [
      [{ input: {} }, /"code" is missing/],
      [{ input: { code: 'a\0b' } }, /"code" must not contain NUL bytes/],
      [{ input: { code: '1', args: [1] } }, /"args" must be/],
      [{ input: { code: '1', env: { A: ['x'] } } }, /"env.A" must be text/],
      [{ input: { code: '1', timeout_seconds: 'x' } }, /"timeout_seconds"/],
      [{ input: { code: '1', script: { uri: 'a.R' } } }, /cannot be used together/],
    ],
    slow: { input: { code: 'repeat {}' } },
  });

  it('returns `result`, else what main returns, else what it printed', async () => {
    expect(await resultOf('main <- function() 1L\nresult <- list(a = 2L, b = NULL)')).toEqual({
      a: 2,
      b: null,
    });
    expect(await resultOf('main <- function(x, y = 5L) x + y', { x: 1, z: 9 })).toBe(6);
    expect(await resultOf('main <- function(result, x) result * x', { result: 5, x: 2 })).toBe(10);
    expect(await resultOf('result <- result + 1L', { result: 5 })).toBe(6);
    expect(await resultOf('cat("out\\n"); message("err"); 1:3')).toEqual({
      stdout: 'out\n[1] 1 2 3\n',
      stderr: 'err\n',
    });
    // How output is split is up to the pipe.
    const logged = r.logged.join('');
    for (const piece of ['stdout: out\n', 'stderr: err\n']) expect(logged).toContain(piece);
  });

  it('names the permission that is missing, and only then', async () => {
    const failureOf = async (code: string) => (await r.run({ code })).error;
    expect(await failureOf('system("true")')).toMatchObject({
      kind: 'policy',
      message:
        'starting another program is not allowed: set spec.io_policy.allow_shell: true, or run with --allow shell',
    });
    const network = {
      kind: 'policy',
      exception_type: 'PolicyError',
      message:
        'network access is not allowed: set spec.io_policy.allow_network: true, or run with --allow network',
    };
    for (const code of ['url("http://127.0.0.1:9/")', 'readLines("http://127.0.0.1:9/")'])
      expect(await failureOf(code)).toMatchObject(network);
    const missing = await failureOf('library(notthere)');
    expect(missing).toMatchObject({ kind: 'exception', message: expect.stringContaining('notthere') });
    expect(missing?.message).not.toContain('allow');
  });

  it('fails if it writes or reads a file of the folder without permission', async () => {
    const attempts = [
      'writeLines("x", "made.txt")',
      'write.csv(data.frame(a = 1), file.path(getwd(), "made.csv"))',
      'saveRDS(1, "made.rds")',
      'cat("x", file = "./made.txt")',
      'dir.create("made")',
      'invisible(file.create("made.txt"))',
      'invisible(file.copy("/etc/hosts", "made.txt"))',
      'png("made.png"); plot(1); dev.off()',
      'pdf(); plot(1)',
      'readLines("data.txt")',
    ];
    const message = expect.stringMatching(
      /^access to the file .* is not allowed: set spec\.io_policy\.allow_files: true, or run with --allow files$/,
    );
    const code = attempts.map((each) => `tryCatch({ ${each}; "done" }, PolicyError = conditionMessage)`);
    const collected = `main <- function() c(${code.join(',\n')})`;
    expect(await resultOf(collected)).toEqual(attempts.map(() => message));
    expect((await r.run({ code: attempts[0]! })).error).toMatchObject({ kind: 'policy', message });
    const allowed = await r.run({ code: collected }, FILES);
    expect(allowed).toMatchObject({ status: 'ok', result: attempts.map(() => 'done') });
    expect(await resultOf('writeLines("x", f <- tempfile()); readLines(f)[1] == "x"; result <- TRUE')).toBe(
      true,
    );
  });

  it('gets integers of any size and returns them', async () => {
    const long = 2n ** 64n;
    const args = { n: long, all: [1, 2n ** 53n, -long], small: [3_000_000_000, 1] };
    const code =
      'result <- list(n = n, first = sort(all)[1], all = all, small = small, made = exact_integer("12345678901234567890"))';
    expect(await resultOf(code, args)).toEqual({ ...args, first: -long, made: 12345678901234567890n });
    expect((await r.run({ code: 'result <- n * 2', args })).error).toMatchObject({
      kind: 'exception',
      message: expect.stringContaining('as.numeric(x) loses digits'),
      details: { line: 1 },
    });
  });

  it('accepts code with Windows line endings', async () => {
    const code = 'x <- 1L\r\nresult <- x +\r\n  1L\r\n';
    expect(await resultOf(code)).toBe(2);
    writeFileSync(join(r.workdir, 'windows.R'), code);
    expect(await r.run({ script: { uri: 'windows.R' } })).toMatchObject({ status: 'ok', result: 2 });
  });

  it('shows only lines of the code if it is not valid R', async () => {
    for (const code of ['x <- (1', 'f <- function() {\n  1']) {
      const { error } = await r.run({ code });
      expect(error).toMatchObject({
        kind: 'exception',
        message: expect.stringContaining('unexpected end of input'),
      });
      expect(JSON.stringify(error)).not.toContain('woof');
    }
  });

  it('gets arguments by name and all at once; those of the task take precedence over those of the step', async () => {
    const stepArgs = () => ({ city: 'Oslo', n: 1 });
    const code = 'result <- list(city, n, args$n, input_data$city, names(args), exists("woof"))';
    expect(await resultOf(code, { n: 2 }, { stepArgs })).toEqual([
      'Oslo',
      2,
      2,
      'Oslo',
      ['city', 'n'],
      false,
    ]);
    expect(await resultOf('result <- list(input_data, args$input_data)', { input_data: 5 })).toEqual([5, 5]);
    const main = 'main <- function(n, args, ...) list(n, args$city, names(list(...)))';
    expect(await resultOf(main, { n: 2, args: 'own', name: 'x' }, { stepArgs })).toEqual([
      2,
      'Oslo',
      ['city', 'name'],
    ]);
  });

  it('gets context if the code mentions it', async () => {
    const context = () => ({ workload: { limit: 3 } });
    expect(await resultOf('result <- context$workload$limit', {}, { context })).toBe(3);
    expect(await resultOf('result <- exists(paste0("con", "text"))', {}, { context })).toBe(false);
  });

  it('passes values on as far as R supports them', async () => {
    const values: [given: Json, back: Json][] = [
      [1, 1],
      [new Float(1), new Float(1)],
      [
        [1, 2],
        [1, 2],
      ],
      [
        [new Float(1), 2.5],
        [new Float(1), 2.5],
      ],
      [{ a: [{ b: 'é"\n' }, null, true] }, { a: [{ b: 'é"\n' }, null, true] }],
      [null, null],
    ];
    const args = Object.fromEntries(values.map(([given], at) => [`v${at}`, given]));
    const back = Object.fromEntries(values.map(([, each], at) => [`v${at}`, each]));
    expect(await resultOf('result <- args', args)).toEqual(back);
  });

  it('returns NA, NaN and infinities as null, and data frames as rows', async () => {
    const code = 'result <- list(c(1.5, NA, NaN, -Inf), data.frame(a = 1:2, b = c("x", NA)))';
    expect(await resultOf(code)).toEqual([
      [1.5, null, null, null],
      [
        { a: 1, b: 'x' },
        { a: 2, b: null },
      ],
    ]);
  });

  it('names the line of a failure, even inside main', async () => {
    const outcome = await r.run({ code: 'f <- function() {\n  stop("bad")\n}\nmain <- function() f()' });
    expect(outcome.error).toMatchObject({
      kind: 'exception',
      retryable: false,
      exception_type: 'Error',
      message: expect.stringContaining('bad'),
      details: { line: 2, traceback: expect.stringMatching(/^<code>:2: stop\("bad"\)$/m) },
    });
    expect(JSON.stringify(outcome.error)).not.toContain('.woof_main');
  });

  it('distinguishes other ways to end', async () => {
    const codes = [
      'x <- (1',
      'quit()',
      'result <- function() 1',
      'tools::pskill(Sys.getpid(), 9); Sys.sleep(1000)',
    ];
    const ends = await Promise.all(codes.map((code) => r.run({ code })));
    expect(ends.map(({ error }) => error)).toMatchObject([
      { kind: 'exception', message: expect.stringContaining('unexpected') },
      { kind: 'exception', message: expect.stringContaining('the code called quit()') },
      { kind: 'schema', message: expect.stringContaining('not JSON') },
      { kind: 'exception', message: expect.stringContaining('SIGKILL'), retryable: true },
    ]);
  });

  it('runs a script of the folder, and says where it failed', async () => {
    writeFileSync(
      join(r.workdir, 'task.R'),
      'main <- function(x) {\n  if (x < 0) stop("below")\n  x * 2L\n}\n',
    );
    const script = { uri: 'task.R' };
    expect(await r.run({ script, args: { x: 4 } })).toMatchObject({ status: 'ok', result: 8 });
    expect((await r.run({ script, args: { x: -1 } })).error).toMatchObject({ details: { line: 2 } });
  });

  it('sees files and programs only with permission, .woof never, and no environment but its own', async () => {
    const code = `
      read <- function(path) tryCatch(readLines(path, warn = FALSE), warning = function(w) "no", error = function(e) "no")
      seen <- lapply(c("data.txt", ".woof/secret", "../secret"), read)
      foreign <- any(grepl("WOOF|VITEST|NODE", names(Sys.getenv())))
      status <- tryCatch(system("exit 3"), PolicyError = function(e) "no")
      result <- c(seen, status, Sys.getenv("A"), Sys.getenv("B"), foreign)`;
    const seen = async (spec: JsonObject) =>
      (await r.run({ code, env: { A: '1' } }, { ...spec, env: { A: '0', B: '2' } })).result;
    const [bare, files, shell] = await Promise.all([seen({}), seen(FILES), seen(SHELL)]);
    expect(bare).toEqual(['no', 'no', 'no', 'no', '1', '2', false]);
    expect(files).toEqual(['the data', 'no', 'no', 'no', '1', '2', false]);
    expect(shell).toEqual(['no', 'no', 'no', 3, '1', '2', false]);
  });
});
