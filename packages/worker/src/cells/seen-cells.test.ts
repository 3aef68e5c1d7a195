import type { CellTask } from '@woof/net';
import { describe, expect, it } from 'vitest';
import { type Earlier, earlierInKernel, type Left, Mentioned, undeclaredOf } from './seen-cells.ts';

const task = (id: string, body: string, more: Partial<CellTask> = {}) =>
  ({
    id,
    body,
    type: 'code',
    language: 'python',
    session: 'python',
    isolated: false,
    needs: [],
    ...more,
  }) as unknown as CellTask;
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

describe('what a cell sees without depending on it', () => {
  /** By cell, the names that it left; `np=numpy` marks an import, `!x` a value whose end may be noticed. */
  const undeclared = (cells: CellTask[], left: Record<string, Left>, hasFailures = false) => {
    const all = byId(cells);
    const known = new Map<string, string[]>();
    const undeclaredBy = (id: string) => known.get(id) ?? [];
    for (const cell of cells) {
      const earlier = earlierInKernel(cell, all).map(
        (other): Earlier => ({
          cell: other,
          left: left[other.id]?.map((name) => name.replace(/=.*|!/g, '')),
          quiet: new Set(left[other.id]),
          imports: new Map(left[other.id]?.map((name) => name.split('=') as [string, string])),
          bound: other.needs.filter((id) => all.get(id)?.type === 'data'),
          undeclared: undeclaredBy(other.id),
        }),
      );
      known.set(cell.id, undeclaredOf(cell, earlier, { cells: all, undeclaredBy, hasFailures }).seen);
    }
    return known.get(cells.at(-1)!.id)!.sort();
  };

  describe('leaves that assign the same names', () => {
    const one = task('one', 'x = 1');
    const reader = task('reader', 'x = 2\nprint(x)');
    const between = (other: CellTask, left: Left, first: string[] = ['x']) =>
      undeclared([one, other, reader], { one: first, [other.id]: left });

    it('do not see each other', () => {
      expect(undeclared([one, reader], { one: ['x'] })).toEqual([]);
      expect(between(task('f', 'def f(): return x'), ['f'])).toEqual([]);
    });
    it('do not see each other, even if they import the name later or assign it over several lines', () => {
      expect(undeclared([one, task('reader', 'y = 1\nimport x\nx.a')], { one: ['x'] })).toEqual([]);
      expect(undeclared([one, task('reader', 'x = f(\n  1,\n)\nx')], { one: ['x'] })).toEqual([]);
      const both = [task('one', 'y = 1\nfrom a import x'), task('reader', 'z = 1\nfrom a import x\nx()')];
      expect(undeclared(both, { one: ['x', 'y'] })).toEqual([]);
    });
    it('do not see each other, even if only a block assigns the name', () => {
      const loop = task('reader', 'for x in a:\n  print(x)');
      expect(undeclared([one, loop], { one: ['x'] })).toEqual([]);
      expect(undeclared([one, loop], { one: ['!x'] })).toEqual(['one']);
      expect(undeclared([one, task('reader', `${loop.body}\nx`)], { one: ['x'] })).toEqual(['one']);
    });
    it('see what is read first', () => {
      const reads = ['f(x)\nimport x', 'x = f(\n  x,\n)', 'g = [lambda v, by=3: v * x]\nx = 2'];
      for (const body of reads)
        expect(undeclared([one, task('reader', body)], { one: ['x'] })).toEqual(['one']);
      expect(undeclared([one, task('reader', 'x = x + 2')], { one: ['x'] })).toEqual(['one']);
    });
    it('see what a cell that they see may read', () => {
      const cells = [one, task('f', 'def f(): return x'), task('reader', 'y = f()\nx = y')];
      expect(undeclared(cells, { one: ['x'], f: ['f'] })).toEqual(['f', 'one']);
      expect(between(task('hidden', 'install(lambda: x)'), undefined)).toEqual(['hidden', 'one']);
    });
    it('see a value whose end may show', () => {
      expect(between(task('a', '1'), [], ['!x'])).toEqual(['one']);
      expect(between(task('a', 'class A:\n  def __del__(self): pass'), ['A'])).toEqual(['one']);
    });
    it('see everything after a failure, and where any name may be read', () => {
      expect(undeclared([one, reader], { one: ['x'] }, true)).toEqual(['one']);
      expect(undeclared([one, task('reader', 'print(dir())\nx = 2')], { one: ['x'] })).toEqual(['one']);
    });
  });

  it('is what sets the names that it mentions', () => {
    const cells = [task('a', 'x = 1'), task('b', 'y = 1'), task('c', 'x')];
    expect(undeclared(cells, { a: ['x'], b: ['y'] })).toEqual(['a']);
  });

  it('extends through the text of what it sees', () => {
    const cells = [task('a', 'x = 1'), task('f', 'def f(): return x'), task('c', 'f()')];
    expect(undeclared(cells, { a: ['x'], f: ['f'] })).toEqual(['a', 'f']);
  });

  it('extends through what it depends on', () => {
    const cells = [task('a', 'x = 1'), task('f', 'y = x'), task('c', 'y', { needs: ['f'] })];
    expect(undeclared(cells, { a: ['x'], f: ['y'] })).toEqual(['a']);
  });

  it('is everything if it is unknown what a cell changed', () => {
    const cells = [task('a', 'x = 1'), task('b', 'y = 1'), task('c', '1')];
    expect(undeclared(cells, { b: [] })).toEqual(['a']);
  });

  const load = task('load', 'import numpy as np\nx = np.arange(3)');
  const use = (body: string) => task('use', body, { needs: ['load'] });
  const leaf = (body: string) => task('leaf', body, { needs: ['load'] });

  it.each<[what: string, leaf: string, left: string, use: string, seen: string[]]>([
    ['a name that only an import spells', 'import numpy', 'numpy=numpy', 'x.sum()', []],
    ['a name that it imports itself', 'import pylab as p', 'p=pylab', 'import pylab as p\np.plot(x)', []],
    [
      'a name that it imports later',
      'import pylab as p',
      'p=pylab',
      'p.plot(x)\nimport pylab as p',
      ['leaf'],
    ],
    ['a name that holds the same import as before', 'import numpy as np', 'np=numpy', 'np.sum(x)', []],
    ['a name that holds another import', 'import jax.numpy as np', 'np=jax.numpy', 'np.sum(x)', ['leaf']],
    ['a name that holds something else', 'np = 5', 'np', 'np.sum(x)', ['leaf']],
    ['an import, if it may see all names', 'import os', 'os=os', 'import os\nprint(globals())', ['leaf']],
    ['a part of a package', 'import numpy.ma as ma', 'ma=numpy.ma', 'np.ma.masked', ['leaf']],
    ['a part of a package, loaded late', 'y = 1\nimport numpy.ma', '', 'np.ma.masked', ['leaf']],
    ['a part of a package, loaded in a function', 'def f():\n  import numpy.ma', 'f', 'np.ma.y', ['leaf']],
    [
      'a part of a package that it imports late',
      'import numpy.ma',
      '',
      'z = 1\nimport numpy as n\nn.ma',
      ['leaf'],
    ],
    [
      'a part of a package that it loads late, after a look',
      'import numpy.ma',
      '',
      'np.ma\nimport numpy.ma',
      ['leaf'],
    ],
    ['a part of a package that it loads late', 'import numpy.ma', '', 'y = 1\nimport numpy.ma\nnp.ma', []],
    ['a part of a package that it loads too', 'import numpy.ma', '', 'import numpy.ma\nnp.ma.masked', []],
  ])('%s: %j', (_, body, left, text, seen) => {
    const known = { load: ['np=numpy', 'x'], leaf: left === '' ? [] : [left] };
    expect(undeclared([load, leaf(body), use(text)], known)).toEqual(seen);
  });

  it('a part of a package that it loads after a function of another cell may have looked', () => {
    const look = task('look', 'import numpy as np\ndef look(): return np.ma', { needs: ['load'] });
    const cells = [load, leaf('import numpy.ma'), look, use('y = look()\nimport numpy.ma')];
    expect(undeclared(cells, { load: ['np=numpy', 'x'], leaf: [], look: ['look'] })).toEqual([
      'leaf',
      'look',
    ]);
  });

  it('includes a repeated import if another cell set the name in between', () => {
    const cells = [load, task('five', 'np = 5'), leaf('import numpy as np'), use('np.sum(x)')];
    const left = { load: ['np=numpy', 'x'], five: ['np'], leaf: ['np=numpy'] };
    expect(undeclared(cells, left)).toEqual(['five', 'leaf']);
    const again = [load, leaf('import numpy as np'), use('np.sum(x)')];
    expect(undeclared(again, left, true)).toEqual(['leaf']);
  });

  it('leaves out a cell that depends on the same data, unless one changes it', () => {
    const data = task('cfg', '[1]', { type: 'data', session: 'data' });
    const cells = (body: string) => [
      data,
      task('a', body, { needs: ['cfg'] }),
      task('b', 'cfg[0]', { needs: ['cfg'] }),
    ];
    expect(undeclared(cells('y = cfg'), { a: ['y'] })).toEqual([]);
    expect(undeclared(cells('cfg.append(1)'), { a: ['cfg'] })).toEqual(['a']);
    expect(undeclared([...cells('1'), task('c', 'cfg')], { a: [], b: [] })).toEqual(['a', 'b', 'cfg']);
  });
});
