/**
 * A law: after any edit, a run with a warm cache prints what a run without one prints, hidden state included.
 * Cells are drawn from a pool that changes names, lists of other cells, seeds, the environment, modules and functions.
 * WOOF_WARM_CASES says how many notebooks; WOOF_SEED which.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Folder } from '../playbook/run-playbook.ts';

const CASES = Number(process.env.WOOF_WARM_CASES ?? 8);
const SEED = Number(process.env.WOOF_SEED ?? 20_261_115);
const CELLS = 6;

const POOL: ((n: number) => string)[] = [
  (n) => `a = ${n}`,
  () => 'print(globals().get("a"))',
  (n) => `items = globals().get("items", []); items.append(${n})`,
  () => 'print(globals().get("items"))',
  (n) => `import random; random.seed(${n})`,
  () => 'import random; print(random.random())',
  (n) => `import os; os.environ["WOOF_TEST_KEY"] = "${n}"`,
  () => 'import os; print(os.environ.get("WOOF_TEST_KEY"))',
  (n) => `def f(x): return x + ${n}`,
  () => 'print(f(1) if "f" in globals() else None)',
  (n) => `import math; math.woof_test = ${n}`,
  () => 'import math; print(getattr(math, "woof_test", None))',
  (n) => `import sys; sys.path.append("/nowhere/${n}")`,
  () => 'import sys; print([p for p in sys.path if p.startswith("/nowhere")])',
  () => 'g = (i for i in range(100))',
  () => 'print(next(g) if "g" in globals() else None)',
  (n) => `class C:\n    k = ${n}`,
  () => 'print(C.k if "C" in globals() else None)',
  (n) => `c = C() if "C" in globals() else ${n}`,
  (n) => `import decimal; decimal.getcontext().prec = ${5 + n}`,
  () => 'import decimal; print(decimal.Decimal(1) / 3)',
  () => 'if "a" in globals(): del a',
];

/** A small generator with a seed, so that a failure can be repeated. */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function notebook(bodies: readonly string[]): string {
  const cells = bodies.map((body, index) => `\n\`\`\`cell id=c${index} type=code\n${body}\n\`\`\`\n`);
  return `%WOOFNB 1.0\nname: law\nlanguage: python\nexecution: {cache: content-hash}\n${cells.join('')}`;
}

async function outputs(folder: Folder, bodies: readonly string[], data: string): Promise<unknown[]> {
  const file = folder.write('n.woofnb', notebook(bodies));
  const { code, stderr } = await folder.woof('run', file, '--quiet', '--data', join(folder.path, data));
  if (code !== 0) throw new Error(stderr);
  const lines = readFileSync(`${file}.out`, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const { cell, outputs: made } = JSON.parse(line) as { cell: string; outputs: unknown };
    return [cell, made];
  });
}

it.each(Array.from({ length: CASES }, (_, index) => SEED + index))(
  'warm equals cold, seed %i',
  async (seed) => {
    const pick = numbers(seed);
    const draw = () => POOL[pick(POOL.length)]!(pick(5));
    // Without a seed two cold runs differ as well.
    const bodies = ['import random; random.seed(7)', ...Array.from({ length: CELLS }, draw)];
    const folder = new Folder();
    await outputs(folder, bodies, 'warm');
    for (let edit = 0; edit < 2; edit++) {
      bodies[1 + pick(CELLS)] = draw();
      const warm = await outputs(folder, bodies, 'warm');
      const cold = await outputs(folder, bodies, `cold${edit}`);
      expect(warm, notebook(bodies)).toEqual(cold);
    }
    folder.dispose();
  },
);
