import type { CellTask } from '@woof/net';
import { describe, expect, it } from 'vitest';
import { type Earlier, earlierInKernel, type Left, Mentioned, undeclaredOf } from './seen-cells.ts';

const task = (id: string, body: string, more: Partial<CellTask> = {}) =>
  ({ id, body, type: 'code', session: 'python', isolated: false, needs: [], ...more }) as unknown as CellTask;
const byId = (cells: CellTask[]) => new Map(cells.map((cell) => [cell.id, cell]));

describe('a text', () => {
  it.each<[string, Left, boolean]>([
    ['print(x)', ['x'], true],
    ['print(x)', ['y'], false],
    ['print(x)', [], false],
    ['print(x)', undefined, true],
    ['print(xy)', ['x'], false],
    ['print(f"{x}")  # names in quotes count', ['x'], true],
    ['1 + globals()["x" + "y"]', ['xy'], true],
    ['pow(2, 3)', ['xy'], false],
    ['ﬁt()', ['fit'], true],
    ['days["mo"]', ['my-days'], false],
    ['woof["my-days"]', ['my-days'], true],
    ['list(woof)', ['cfg'], true],
    ['woof.parameters', ['cfg'], false],
  ])('%s may show %j: %s', (body, left, expected) => {
    expect(new Mentioned([task('a', body)]).mayShow(left)).toBe(expected);
  });
});

describe('the cells before one in its kernels', () => {
  const cells = byId([
    task('a', ''),
    task('alone', '', { isolated: true }),
    task('js', '', { session: 'javascript' }),
    task('d', '', { type: 'data', session: 'data' }),
    task('b', ''),
    task('chart', '', { type: 'viz', session: 'vega', needs: ['js', 'd'] }),
    task('later', ''),
  ]);
  it.each([
    ['b', ['a']],
    ['later', ['a', 'b']],
    ['alone', []],
    ['d', []],
    ['chart', ['js']],
  ])('%s: %j', (id, expected) => {
    expect(earlierInKernel(cells.get(id)!, cells).map((cell) => cell.id)).toEqual(expected);
  });
});

describe('what a cell sees without building on it', () => {
  const undeclared = (cells: CellTask[], left: Record<string, Left>) => {
    const all = byId(cells);
    const known = new Map<string, string[]>();
    const undeclaredBy = (id: string) => known.get(id) ?? [];
    for (const cell of cells) {
      const earlier = earlierInKernel(cell, all).map(
        (other): Earlier => ({
          cell: other,
          left: left[other.id],
          bound: [],
          undeclared: undeclaredBy(other.id),
        }),
      );
      known.set(cell.id, undeclaredOf(cell, earlier, { cells: all, undeclaredBy }));
    }
    return known.get(cells.at(-1)!.id)!.sort();
  };

  it('is what sets the names that it mentions', () => {
    const cells = [task('a', 'x = 1'), task('b', 'y = 1'), task('c', 'x')];
    expect(undeclared(cells, { a: ['x'], b: ['y'] })).toEqual(['a']);
  });

  it('leads on through the text of what it sees', () => {
    const cells = [task('a', 'x = 1'), task('f', 'def f(): return x'), task('c', 'f()')];
    expect(undeclared(cells, { a: ['x'], f: ['f'] })).toEqual(['a', 'f']);
  });

  it('leads on through what it builds on', () => {
    const cells = [task('a', 'x = 1'), task('f', 'y = x'), task('c', 'y', { needs: ['f'] })];
    expect(undeclared(cells, { a: ['x'], f: ['y'] })).toEqual(['a']);
  });

  it('is everything where nobody can tell what a cell changed', () => {
    const cells = [task('a', 'x = 1'), task('b', 'y = 1'), task('c', '1')];
    expect(undeclared(cells, { b: [] })).toEqual(['a']);
  });
});
