import type { CellTask } from '@woof/net';
import { expect, test } from 'vitest';
import { compileNotebook } from './compile.ts';
import { parseNotebook } from './parse.ts';

const F = '```';

/** By cell: what it depends on, and which cells it waits for directly. */
function needsOf(...cells: string[]) {
  const text = cells.map((tokens) => `${F}cell ${tokens}\n1\n${F}\n`).join('');
  const { steps } = compileNotebook(
    parseNotebook(`%WOOFNB 1.0\nname: x\nlanguage: python\n${text}`).notebook,
  );
  const waits = (id: string) =>
    steps.filter(({ next }) => next.arcs.some(({ step }) => step === id)).map(({ name }) => name);
  return Object.fromEntries(
    steps.map(({ name, tasks }) => [name, [(tasks[0]!.input as unknown as CellTask).needs, waits(name)]]),
  );
}

test('linear: a cell depends on earlier data and cells of its kernel, an isolated one only on data and what it names', () => {
  expect(
    needsOf(
      'id=a type=code',
      'id=d type=data',
      'id=alone type=code sidefx=isolated',
      'id=other type=code sidefx=isolated deps=a',
      'id=b type=code',
      'id=chart type=viz',
      'id=named type=viz deps=alone',
      'id=c type=code deps=other',
    ),
  ).toEqual({
    a: [[], []],
    d: [[], []],
    alone: [['d'], ['d']],
    other: [
      ['a', 'd'],
      ['a', 'd'],
    ],
    b: [
      ['a', 'd'],
      ['a', 'd'],
    ],
    chart: [['a', 'd', 'b'], ['b']],
    named: [
      ['a', 'd', 'alone', 'b'],
      ['alone', 'b'],
    ],
    c: [
      ['a', 'd', 'other', 'b'],
      ['other', 'b'],
    ],
  });
});
