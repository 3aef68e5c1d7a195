/**
 * An invariant: after any edit, a run with a warm cache shows the same as a run without one, hidden state included,
 * whatever dependencies the cells declare. In a graph, deps are random too, so most cells use what they do not name.
 * WOOF_WARM_CASES sets the number of notebooks per language (`npm run fuzz` tries more than here), and WOOF_SEED the
 * seed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { describe, expect, it } from 'vitest';
import { findKernelspecs, kernelspecNamed } from '../../packages/kernels/src/jupyter/kernelspecs.ts';
import { Folder } from '../playbook/run-playbook.ts';
import {
  BASH,
  JAVASCRIPT,
  type Pool,
  PYTHON,
  PYTHON_DATA,
  PYTHON_ENDS,
  PYTHON_GRAPH,
  R,
} from './cell-pools.ts';

const SEED = Number(process.env.WOOF_SEED ?? 20_261_115);
const CELLS = 6;

interface Kind {
  language: string;
  order: 'linear' | 'graph';
  pool: Pool;
  /** Without a seed two cold runs differ as well. */
  seed: string;
  tokens?: string;
}

/** A small seeded generator, so that a failure can be reproduced. */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

class RandomNotebook {
  readonly #pick: (below: number) => number;
  readonly #cells: { tokens: string; body: string }[];

  constructor(
    readonly kind: Kind,
    seed: number,
  ) {
    this.#pick = numbers(seed);
    const drawn = Array.from({ length: CELLS }, (_, index) => ({
      tokens: this.#deps(index),
      body: this.#body(),
    }));
    this.#cells = [{ tokens: '', body: kind.seed }, ...drawn];
  }

  edit(): void {
    this.#cells[1 + this.#pick(CELLS)]!.body = this.#body();
  }

  text(): string {
    const { language, order, tokens: all = '' } = this.kind;
    const cells = this.#cells.map(
      ({ tokens, body }, index) => `\n\`\`\`cell id=c${index} type=code${tokens}${all}\n${body}\n\`\`\`\n`,
    );
    const head = `%WOOFNB 1.0\nname: law\nlanguage: ${language}\nio_policy: {allow_shell: true}\n`;
    return `${head}execution: {order: ${order}, cache: content-hash}\n${cells.join('')}`;
  }

  #body(): string {
    const { pool } = this.kind;
    return pool[this.#pick(pool.length)]!(this.#pick(5));
  }

  /** Of an earlier cell, for every third. */
  #deps(index: number): string {
    const isLone = this.kind.order === 'linear' || this.#pick(3) > 0;
    return isLone ? '' : ` deps=c${this.#pick(index + 1)}`;
  }
}

async function shown(folder: Folder, text: string, data: string): Promise<unknown[]> {
  const file = folder.write('n.woofnb', text);
  const { code, stderr } = await folder.woof('run', file, '--quiet', '--data', join(folder.path, data));
  if (code > 1 || !existsSync(`${file}.out`)) throw new Error(stderr);
  const lines = readFileSync(`${file}.out`, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const { cell, outputs } = JSON.parse(line) as { cell: string; outputs: unknown };
    return [cell, outputs];
  });
}

const CASES = Number(process.env.WOOF_WARM_CASES ?? 1);

function holds(kind: Kind): void {
  const seeds = Array.from({ length: CASES }, (_, index) => SEED + index);
  it.each(seeds)(`${kind.language}, ${kind.order}, seed %i`, async (seed) => {
    const notebook = new RandomNotebook(kind, seed);
    const folder = new Folder();
    await shown(folder, notebook.text(), 'warm');
    for (let edit = 0; edit < 2; edit++) {
      notebook.edit();
      const warm = await shown(folder, notebook.text(), 'warm');
      const cold = await shown(folder, notebook.text(), `cold${edit}`);
      expect(warm, notebook.text()).toEqual(cold);
    }
    folder.dispose();
  });
}

const PYTHON_SEED = 'import random; random.seed(7)';

describe('warm equals cold', () => {
  holds({ language: 'python', order: 'linear', pool: PYTHON, seed: PYTHON_SEED });
  holds({ language: 'python', order: 'graph', pool: PYTHON_GRAPH, seed: PYTHON_SEED });
  holds({ language: 'javascript', order: 'graph', pool: JAVASCRIPT, seed: '0' });
  holds({ language: 'bash', order: 'graph', pool: BASH, seed: 'RANDOM=7', tokens: ' sidefx=shell' });
});

describe('warm equals cold, the ends of objects', () => {
  holds({ language: 'python', order: 'linear', pool: [...PYTHON, ...PYTHON_ENDS], seed: PYTHON_SEED });
  holds({ language: 'python', order: 'graph', pool: PYTHON_ENDS, seed: PYTHON_SEED });
});

function whyNoLibraries(): string | undefined {
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import numpy, pandas, matplotlib, scipy'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'numpy, pandas, matplotlib or scipy is not installed: npm run setup -- --test';
  }
}

describeUnless(whyNoLibraries())('warm equals cold, libraries for data', () => {
  holds({ language: 'python', order: 'graph', pool: PYTHON_DATA, seed: '0' });
});

const hasR = ['/usr/bin', '/usr/local/bin', '/bin'].some((folder) => existsSync(join(folder, 'Rscript')));
describeUnless(hasR ? undefined : 'there is no R: install r-base-core')('warm equals cold, R', () => {
  holds({ language: 'r', order: 'graph', pool: R, seed: 'set.seed(7)' });
});

const python3 = kernelspecNamed(await findKernelspecs(), 'python3');
describeUnless(python3 ? undefined : 'there is no Jupyter kernel python3: install python3-ipykernel')(
  'warm equals cold, Jupyter',
  () => {
    const tokens = ' kernel=python3';
    holds({ language: 'python', order: 'graph', pool: PYTHON, seed: PYTHON_SEED, tokens });
  },
);
