import { describe, expect, test } from 'vitest';
import { pythonNames } from './python-names.ts';

const check = (code: string, defined: string[], used: string[]) => {
  const names = pythonNames(code)!;
  expect({ defined: [...names.defined].sort(), used: [...names.used.keys()].sort() }).toEqual({
    defined,
    used,
  });
};

describe('what a cell defines', () => {
  test.each<[string, string[]]>([
    ['x = 1', ['x']],
    ['a = b = 1', ['a', 'b']],
    ['a, (b, *c) = f', ['a', 'b', 'c']],
    ['[a, b] = 1, 2', ['a', 'b']],
    ['x: int = 3', ['x']],
    ['def f(a, b=1): return a\nclass C: pass', ['C', 'f']],
    ['async def g():\n  y = 1', ['g']],
    ['import os.path, numpy as np', ['np', 'os']],
    ['from m import (a as b,\n  c)', ['b', 'c']],
    ['for i, (j, k) in z: pass', ['i', 'j', 'k']],
    ['with open(p) as f, g() as (h, i): y = 1', ['f', 'h', 'i', 'y']],
    ['try:\n  x = 1\nexcept E as e:\n  y = 2', ['e', 'x', 'y']],
    ['if (n := 3) > 2: m = 1; o = 2', ['m', 'n', 'o']],
    ['def f():\n  global z\n  z = 1', ['f', 'z']],
    ['a[i] = 1; b.c = 2; f(k=3)', []],
    ['x == 1; y <= 2; z += 1', []],
    ['"x = 1" # y = 2', []],
    ['class C:\n  a = 1\n  def m(self): b = 1', ['C']],
  ])('%s', (code, defined) => {
    expect([...pythonNames(code)!.defined].sort()).toEqual(defined);
  });
});

describe('what a cell takes from others', () => {
  test.each<[string, string[]]>([
    ['y = x + 1', ['x']],
    ['print(obj.attr.more, f(key=v))', ['f', 'obj', 'v']],
    ['a[i] = b.c', ['a', 'b', 'i']],
    ['total += n', ['n', 'total']],
    ['[w for w in ws if w]', ['ws']],
    ['{k: v for k, v in items.items()}', ['items']],
    ['sum(len(r) for r in rows)', ['rows']],
    ['g = lambda p, q=d: p + q + later', []],
    ['sorted(xs, key=lambda t: t[1])', ['xs']],
    ['def f(a, b=start, *args, c: Kind = 2, **kw):\n  return a + later', ['Kind', 'start']],
    ['@deco\ndef f(): pass', ['deco']],
    ['class A(Base, metaclass=Meta):\n  field = outer', ['Base', 'Meta', 'outer']],
    ['x = 1\nprint(x)', []],
    ['"name" + \'other\' + """long\nname2""" + f"{inside}"', []],
    ['# name\nprint(1) # name', []],
    ['match = 1\nmatch x:\n  case Point(a=b): print(b)', ['x']],
    ['for i in range(n): print(i)', ['n']],
    ['import pandas as pd\ndf = pd.read_csv(path)', ['path']],
    ['from . import a\nfrom .b import c', []],
    ['x = (1,\n  y)\n', ['y']],
    ['if a:\n  b\nelif c: d\nelse: e', ['a', 'b', 'c', 'd', 'e']],
    ['assert result == expected, msg', ['expected', 'msg', 'result']],
    ['x: Kind', ['Kind']],
    ['with ctx(arg) as c: c.go()', ['arg', 'ctx']],
    ['print(1.5e3, 0x1f, 1_000, 3j)', []],
    ['a \\\n = b', ['b']],
    ['d = {"k": v, **rest}', ['rest', 'v']],
    ['s[lo:hi]', ['hi', 'lo', 's']],
    ['async def f():\n  await g()\nawait h()', ['h']],
  ])('%s', (code, used) => {
    expect([...pythonNames(code)!.used.keys()].sort()).toEqual(used);
  });

  test('both at once', () => {
    check('x, y = y0, x0\nz = x', ['x', 'y', 'z'], ['x0', 'y0']);
  });
});

test.each(['%time x', '!ls', 'x = !ls', 'x = %who', 'f?', '"open', "'''open"])(
  '%s is not plain Python',
  (code) => {
    expect(pythonNames(code)).toBeUndefined();
  },
);

test.each(['from m import *', 'exec(code)', 'globals()["a"] = 1'])('%s may define any name', (code) => {
  expect(pythonNames(code)!.isOpen).toBe(true);
});
