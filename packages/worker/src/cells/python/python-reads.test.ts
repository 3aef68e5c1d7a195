import { describe, expect, it } from 'vitest';
import { pythonReads } from './python-reads.ts';

const words = (set: ReadonlySet<string>) => [...set].sort().join(' ');

describe('what a cell may take from cells before it', () => {
  it.each([
    ['x', 'x'],
    ['x = 1\nx', ''],
    ['x = f(x)\nx', 'f x'],
    ['x += 1', 'x'],
    ['x: int = 1', 'int x'],
    ['x, (y, *z) = v\nx + y + z', 'v'],
    ['x = y = v\nx', 'v'],
    ['x.a = 1\nx["b"] = 2', 'x'],
    ['x = 1\ndel x', 'x'],
    ['"""x"""\n# y\nz', 'z'],
    ['f"{x}" + "y"', 'x y'],
    ['t.x(y=z)', 't z'],
    ['t["x"][["y", "z"]].groupby("w").sum()', 't'],
    ['t.query("n > @x")', 'n t x'],
    ['woof["x"] + woof.y', 'woof x y'],
    ['[x for x in y if x > z]', 'y z'],
    ['[x for x in x]', 'x'],
    ['{k: v for k, v in d.items() for w in v}', 'd'],
    ['f(lambda x, y=z: x + y + w)', 'f w z'],
    ['x = lambda: y\nx()', 'y'],
    ['for x, y in t:\n    x + y\nx', 't x'],
    ['for x in t: print(x)', 'print t'],
    ['if c:\n    x = 1\nx', 'c x'],
    ['if c: x = 1\nelif d: x = 2\nelse: x = 3\nx', 'c d'],
    ['if c: x = 1\nelif d: y = 2\nelse: x = 3\nx', 'c d x'],
    ['try:\n    x = 1\nexcept E as e:\n    pass\nx', 'E e x'],
    ['with f() as x:\n    y = x\ny', 'f y'],
    ['with open(p) as x:\n    y = x.read()\ny', 'open p'],
    ['with (a as x):\n    x', 'a x'],
    ['def f(x, *y, z=d, **k):\n    w = x + y + z + k + g\n    return w', 'd g'],
    ['def f():\n    global x\n    x = 1', 'x'],
    ['def f():\n    x = 1\n    def g():\n        return x + y\n    return g', 'y'],
    ['x = 1\ndef f(): return x\nf()', ''],
    ['@d\ndef f(): pass', 'd'],
    ['async def f(x):\n    async for y in x:\n        await y', ''],
    ['class A(B):\n    x = 1\n    y = x\n    def m(self): return x', 'B x'],
    ['import x.y, z as w\nx.y(w)', ''],
    ['x.a\nimport x', 'x'],
    ['from a.b import (c,\n  d as e)\nc(e)', ''],
    ['match x:\n    case {"k": y}:\n        y', 'case k match x y'],
  ])('%j: %s', (code, expected) => {
    expect(words(pythonReads(code).now)).toBe(expected);
  });

  it.each([
    ['a string without an end', 'x = "y\nz'],
    ['brackets that do not match', 'x = (1]\nx'],
    ['quotes inside the braces of a formatted string', 'x = f"{d["y"]}"'],
    ['syntax of IPython', 'x = 1\n!ls x'],
  ])('is every word, after %s', (_, code) => {
    expect(pythonReads(code).now.has('x')).toBe(true);
  });
});

describe('what cells after it may take by what it left', () => {
  it.each([
    ['x = y', ''],
    ['x = 1\ndef f(): return x', 'x'],
    ['f = lambda a: a + x', 'x'],
    ['g = (a * x for a in y)', 'x'],
    ['text = "n > @x"', 'n x'],
    ['class A:\n    def m(self): return x', 'x'],
  ])('%j: %s', (code, expected) => {
    expect(words(pythonReads(code).later)).toBe(expected);
  });
});

describe('what a cell sets', () => {
  it.each([
    ['x = 1\nfor y in z: w = 1', 'w x y'],
    ['import a.b, c as d\nfrom e import f', 'a d f'],
    ['def f():\n    x = 1\nclass A:\n    y = 1', 'A f'],
    ['t.x = 1\nt["y"] = 2', ''],
  ])('%j: %s', (code, expected) => {
    expect(words(pythonReads(code).sets)).toBe(expected);
  });
});

describe('imports', () => {
  it.each<[code: string, leading: string, loads: string[], mayLoad: string[]]>([
    ['"""Why."""\n# and\nimport numpy as np\nx', 'np', ['numpy'], ['numpy']],
    ['import a; a.use("b")\nimport a.c as c', 'a', ['a', 'a.c'], ['a', 'a.c']],
    ['from a.b import c, d as e\nx', 'c e', ['a.b.c', 'a.b.d', 'a.b'], ['a.b.c', 'a.b.d', 'a.b']],
    ['a.c\nimport a.c', '', [], ['a.c']],
    ['if x:\n    import a.c', '', [], ['a.c']],
    ['def f():\n    import a.c', '', [], ['a.c']],
    ['from a import *', '', [], []],
  ])('%j', (code, leading, loads, mayLoad) => {
    const found = pythonReads(code);
    expect([words(found.leading), found.loads, found.mayLoad]).toEqual([leading, loads, mayLoad]);
  });
});
