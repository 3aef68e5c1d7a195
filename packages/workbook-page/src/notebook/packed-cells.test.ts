import { expect, it } from 'vitest';
import { packCells, unpackCells } from './packed-cells.ts';
import type { PageCell } from './page-model.ts';

const cell = (id: string, needs: string[]): PageCell => ({
  ...{ id, type: 'code', language: 'python', session: 'python', body: '', needs },
});

it('returns what was packed', () => {
  const cells = [
    cell('a', []),
    cell('b', ['a']),
    cell('c', ['a', 'b']),
    cell('d', ['a', 'c']),
    cell('e', ['b', 'c', 'd']),
  ];
  expect(JSON.parse(JSON.stringify(unpackCells(packCells(cells))))).toEqual(cells);
});

it('grows with the number of cells, not with its square', () => {
  const ids = Array.from({ length: 2000 }, (_, at) => `cell${at}`);
  const cells = ids.map((id, at) => cell(id, ids.slice(0, at)));
  expect(JSON.stringify(packCells(cells)).length).toBeLessThan(2000 * 150);
});
