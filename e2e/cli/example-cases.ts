/** The examples that run anywhere, and what each gives: here and at servers. */
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { root } from './woof.ts';

const folder = join(root, 'examples');

/** All of them, those that run elsewhere too. */
export const EXAMPLE_FILES = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

export const examplePath = (file: string) => join(folder, file);

export interface Expected {
  sets?: (url: string) => string[];
  step: string;
  result: unknown;
  /** 3: it is waiting for approval. */
  status?: number;
}

export const EXPECTED: Record<string, Expected> = {
  'hello.yaml': { sets: () => ['name=Ada'], step: 'shout', result: 'HELLO, ADA!' },
  'retry.yaml': { sets: (url) => [`url=${url}/flaky/a?n=2`], step: 'report', result: { ok: true } },
  'pagination.yaml': { sets: (url) => [`api=${url}`], step: 'start', result: [1, 2, 3, 4, 5, 6] },
  'graphql-pages.yaml': { sets: (url) => [`api=${url}`], step: 'start', result: [1, 2, 3, 4, 5] },
  'parallel-sum.yaml': { step: 'report', result: { total: 84, largest: 40, orders: 3 } },
  'nightly.yaml': { sets: () => ['days=7'], step: 'report', result: '7 days' },
  'join.yaml': {
    step: 'combine',
    result: { stock: { apples: 3, pears: 5 }, prices: { apples: 2, pears: 4 } },
  },
  'quantum.yaml': {
    step: 'report',
    result: {
      results: [
        { angle: 0, ones: 0 },
        { angle: 0.5236, ones: 0.055 },
        { angle: 1.0472, ones: 0.234 },
        { angle: 1.5708, ones: 0.4975 },
        { angle: 3, ones: 0.991 },
      ],
      stats: { total: 5, succeeded: 5, failed: 0 },
    },
  },
  'nested.yaml': { step: 'program', result: 'HELLO, ADA! HELLO, GRACE!' },
  'best-effort.yaml': {
    sets: (url) => [`api=${url}`],
    step: 'report',
    result: { found: ['thing 2', 'thing 4'], failed: 2 },
  },
  'tour.yaml': {
    sets: (url) => [`shop=${url}`, 'customers=[ada, grace]'],
    step: 'report',
    result: { orders: 4, totals: 'ada 30, grace 30', largest: 20 },
  },
  'build.workflow.yaml': {
    step: 'check@tool=sha256sum',
    result: expect.objectContaining({ status: 'succeeded' }),
  },
  'release.workflow.yaml': {
    step: 'check',
    result: expect.objectContaining({ status: 'succeeded' }),
    status: 3,
  },
  'python.yaml': { step: 'start', result: { mean: 2, sorted: [1, 2, 3] } },
};

/** Its stages need a cluster: e2e/workflow/slurm.test.ts runs it. */
const ELSEWHERE = ['slurm.workflow.yaml'];
export const RUNNABLE = EXAMPLE_FILES.filter((file) => !ELSEWHERE.includes(file));

/** The flags that point an example to a service. */
export function flagsOf(file: string, url: string): string[] {
  return (EXPECTED[file]?.sets?.(url) ?? []).flatMap((set) => ['--set', set]);
}

/** A workflow works in the folder of its document, so it is run from a copy. */
export function placed(file: string, cwd: string): string {
  if (!file.endsWith('.workflow.yaml')) return examplePath(file);
  copyFileSync(examplePath(file), join(cwd, file));
  return join(cwd, file);
}
