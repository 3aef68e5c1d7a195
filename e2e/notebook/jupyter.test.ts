/** Cells of installed Jupyter kernels through the real binary: session, cache, what runs again. */
import { readFileSync } from 'node:fs';
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

    it('share a kernel of their own, come from the cache, and run again where a later cell needs them', async () => {
      const cold = await run(first, own, second(1));
      expect(cold.steps.second).toMatchObject({ status: 'succeeded', result: '21' });
      expect(cold.cached).toEqual([]);
      expect((await run(first, own, second(1))).cached).toEqual(['first', 'own', 'second']);
      const changed = await run(first, own, second(2));
      expect(changed.cached).toEqual(['first', 'own']);
      expect(changed.steps.second).toMatchObject({ status: 'succeeded', result: '22' });
    });

    it('are refused where there is no such kernel', async () => {
      const { steps } = await run(cell('id=a type=code kernel=pyton3', '1'));
      expect(steps.a!.error).toMatchObject({
        message: expect.stringMatching(/no kernel named "pyton3"; did you mean "python3"\?/),
      });
    });
  },
);
