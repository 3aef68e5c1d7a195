/** What every kernel must do in any language. Test-only: the test of each driver supplies the code in its language. */
import type { Json } from '@woof/net';
import { describeUnless } from '@woof/testkit';
import { exactValues } from '@woof/testkit/exact-values';
import { afterAll, describe, expect, it } from 'vitest';
import type { CellRun, Kernel, KernelSpec } from './kernel.ts';
import { KernelCase, NOTHING, runCell, whyNoSandbox } from './kernel-case.ts';

export interface Words {
  spec?: Partial<KernelSpec>;
  /** Sets x to a number; prints x. */
  assign(value: number): string;
  print: string;
  /** Prints to stdout and stderr alternately, three times each. */
  alternate: string;
  /** Whether the order of stdout and stderr within a cell is exact. */
  ordered: boolean;
  /** Code that ends with a value, and how it is shown. */
  last?: [code: string, shown: string];
  fail: [code: string, ename: string, line?: RegExp];
  /** Exits the cell with code 3, as a program would. Undefined if that ends the kernel by design. */
  exit?: [code: string, ename: string];
  /** Closes the standard streams. Left out if only the kernel's authors decide what that does. */
  closes?: string;
  endless: string;
  /** Kills its own process with SIGKILL. */
  suicide: string;
  /** Writes the given number of bytes to stdout. */
  flood(bytes: number): string;
  /** Another test covers this driver and its language without a sandbox. */
  isAlwaysSandboxed?: true;
  /** 200 unless the kernel is too slow for that. */
  floodMiB?: number;
  /** Undefined if the kernel itself decodes the output of cells. */
  invalidUtf8?: string;
  /** Prints the bound value `given`, a list of 1 and "é", as "1 é". */
  printBound: string;
  /** Prints parameters.greeting. */
  printParameter: string;
  /** Writes a line to every descriptor from 3 on. Undefined if there is no such channel. */
  forge?(line: string): string;
  /** Sets `values`, and the result of `read` for it. */
  setList: string;
  listRead: unknown;
  /** A value after a round trip through the language. Left out if the language lacks such values. */
  kept?: (value: Json) => Json;
}

export async function exerciseKernel(language: string, words: Words): Promise<void> {
  const reason = await whyNoSandbox();
  describeUnless(reason)(`every kernel: ${words.spec?.kernel ?? language}`, () => {
    const kernels = new KernelCase();
    afterAll(() => kernels.remove());
    const start = (spec: Partial<KernelSpec> = {}) =>
      kernels.start(language, { ...words.spec, parameters: { greeting: 'hello' }, ...spec });
    let living: Promise<Kernel> | undefined;
    /** For cells that end normally, because some kernels take seconds to start. */
    const sharedKernel = () => {
      living ??= start();
      return living;
    };

    describe.each(words.isAlwaysSandboxed ? [true] : [true, false])('with sandbox %s', (sandbox) => {
      it('shares its state between cells', async () => {
        const kernel = await start({ sandbox });
        expect(await runCell(kernel, words.assign(41))).toMatchObject({
          status: 'ok',
          outputs: [],
          droppedBytes: 0,
        });
        expect(await runCell(kernel, words.print)).toMatchObject({ status: 'ok', stdout: '41\n' });
        expect((await runCell(kernel, words.printParameter)).stdout).toBe('hello\n');
      });

      it('survives a cell that closes its streams, one that fails, and one that exits', async () => {
        const kernel = await start({ sandbox });
        await runCell(kernel, words.assign(7));
        if (words.closes) expect(await runCell(kernel, words.closes)).toMatchObject({ status: 'ok' });
        for (const [code, ename] of [words.fail, words.exit ?? words.fail]) {
          const ran = await runCell(kernel, code, { id: 'prep' });
          expect(ran).toMatchObject({ status: 'error', transient: false, error: { ename } });
          expect(ran.outputs.at(-1)).toEqual(ran.error);
          expect((await runCell(kernel, words.print)).stdout).toBe('7\n');
        }
        expect(kernel.alive).toBe(true);
      });

      it('reports its death once, and stays dead', async () => {
        const kernel = await start({ sandbox });
        expect(await runCell(kernel, words.suicide)).toMatchObject({
          ...{ status: 'died', transient: true },
          error: { ename: 'KernelDied', evalue: expect.stringContaining('SIGKILL') },
        });
        expect(kernel.alive).toBe(false);
        expect(await runCell(kernel, words.print)).toMatchObject({ status: 'died', stdout: '' });
        await expect(kernel.bind('x', 1)).rejects.toThrow(/SIGKILL/);
      });

      it('ends a cell at its timeout', async () => {
        const kernel = await start({ sandbox });
        const ran = await runCell(kernel, words.endless, { timeoutMs: 300 });
        expect(ran).toMatchObject({ status: 'timeout', transient: false, error: { ename: 'TimeoutError' } });
        expect(ran.error?.evalue).toContain('0.3 s');
      });
    });

    it('keeps the order of its outputs', async () => {
      const { outputs, stdout, stderr } = await runCell(await sharedKernel(), words.alternate);
      expect([stdout, stderr]).toEqual(['a\nc\ne\n', 'b\nd\nf\n']);
      const all = outputs.map((output) => (output.output_type === 'stream' ? output.text : '')).join('');
      if (words.ordered) expect(all).toBe('a\nb\nc\nd\ne\nf\n');
    });

    it('shows the last value', async (context) => {
      if (!words.last) return context.skip('this language has no value of a cell');
      const [code, shown] = words.last;
      expect(await runCell(await sharedKernel(), code)).toMatchObject({ status: 'ok', result: shown });
    });

    it('shows the line of an error', async () => {
      const { error, stderr } = await runCell(await sharedKernel(), words.fail[0], { id: 'prep' });
      if (words.fail[2]) expect([...(error?.traceback ?? []), stderr].join('\n')).toMatch(words.fail[2]);
    });

    it('stops when it is told to', async () => {
      const kernel = await start();
      const abort = new AbortController();
      const ran = runCell(kernel, words.endless, { signal: abort.signal });
      abort.abort();
      expect(await ran).toMatchObject({ status: 'died', transient: false, error: { evalue: /cancelled/ } });
      expect(kernel.alive).toBe(false);
    });

    it('accepts and returns values', async () => {
      const kernel = await sharedKernel();
      await kernel.bind('given', [1, 'é']);
      await kernel.bind('not-an-identifier', { deep: [{}] });
      expect((await runCell(kernel, words.printBound)).stdout).toBe('1 é\n');
      await runCell(kernel, words.setList);
      expect(await kernel.read('values')).toEqual(words.listRead);
      expect(await kernel.read('nobody_set_this')).toBeUndefined();
    });

    it('preserves numbers', async (context) => {
      if (!words.kept) return context.skip('this language does not have all values of JSON');
      const kernel = await sharedKernel();
      const values = exactValues(100);
      await kernel.bind('given', values);
      expect(await kernel.read('given')).toEqual(words.kept(values));
    });

    it('keeps 10 MiB of a flood and counts the rest', async () => {
      const kernel = await start();
      const bytes = (words.floodMiB ?? 200) * 1024 * 1024;
      const before = process.memoryUsage().rss;
      const ran = await runCell(kernel, words.flood(bytes));
      expect(ran.status).toBe('ok');
      expect(ran.stdout.length + ran.droppedBytes).toBe(bytes);
      expect(ran.stdout.length).toBe(10 * 1024 * 1024);
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
      const longest = Math.max(...ran.outputs.map((o) => (o.output_type === 'stream' ? o.text.length : 0)));
      expect(longest).toBeLessThanOrEqual(64 * 1024);
      expect(await runCell(kernel, words.assign(1))).toMatchObject({ droppedBytes: 0 });
    });

    it('replaces invalid UTF-8', async (context) => {
      if (!words.invalidUtf8) return context.skip('the kernel itself decodes what a cell prints');
      expect((await runCell(await sharedKernel(), words.invalidUtf8)).stdout).toBe('a\ufffdé\n');
    });

    describeUnless(words.forge ? undefined : 'cells of this language have no way to write to the channel')(
      'trusts no line that its driver did not write',
      () => {
        const token = '0'.repeat(32);
        it.each([
          ['nonsense', 'nonsense', /a line that is not a message/],
          ['a wrong shape', '{"n":2,"kind":"end"}', /a line that is not a message/],
          ['a guessed token', `{"n":2,"token":"${token}","kind":"end"}`, /without the token/],
        ])('%s', async (_, line, message) => {
          const kernel = await start();
          const ran = await runCell(kernel, words.forge?.(line) ?? '');
          expect(ran.status).toBe('died');
          expect(ran.error?.evalue).toMatch(message);
          expect(kernel.alive).toBe(false);
        });
      },
    );

    it('runs one cell at a time', async () => {
      const kernel = await sharedKernel();
      const both = [
        runCell(kernel, words.assign(1)),
        runCell(kernel, words.print),
        runCell(kernel, words.assign(2)),
      ];
      expect((await Promise.all(both)).map((ran) => ran.status)).toEqual(['ok', 'ok', 'ok']);
      expect((await both[1])?.stdout).toBe('1\n');
    });

    it('runs a cell with another policy if it checks each cell, otherwise its state moves to another process', async () => {
      const kernel = await start();
      const more: Partial<CellRun> = { declared: words.spec?.policy ?? NOTHING };
      expect(await runCell(kernel, words.assign(41), more)).toMatchObject({ status: 'ok' });
      expect(kernel.adapt(kernel.spec)).toBe(true);
      expect(() => kernel.adapt({ ...kernel.spec, memoryMb: 64 })).toThrow(/Woof cannot change the limit/);
      const policy = { ...kernel.spec.policy, allow_network: true };
      if (kernel.adapt({ ...kernel.spec, policy })) return;
      const moved = await start({ policy });
      await moved.load((await kernel.save())!);
      expect(await runCell(moved, words.print)).toMatchObject({ status: 'ok', stdout: '41\n' });
    });

    it('ends with everything that it started', async () => {
      const kernel: Kernel = await start();
      await kernel.close();
      expect(kernel.alive).toBe(false);
      await kernel.close();
    });
  });
}
