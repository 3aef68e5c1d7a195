import { expect, it } from 'vitest';
import { assignedFirst } from './assigned-first.ts';

const wordsIn = (text: string) => text.match(/[A-Za-z_]\w*/g) ?? [];

it.each<[text: string, assigned: string[]]>([
  ['x = 1', ['x']],
  ['fig, ax = plt.subplots(figsize=(4, 2))  # so\nax.plot()', ['fig', 'ax']],
  ['# x\n\nby = df["x"].sum()\nx = by', ['by']],
  ['plt.title("a: b")\nx = {"a": [1, 2][0:1]}', ['x']],
  ['x = x + 1', []],
  ['x += 1', []],
  ['x == 1\ny = 2', ['y']],
  ['a, b = b, a', []],
  ['x = y = 1', ['x']],
  ['print(x)\nx = 1', []],
  ['print("x")\nx = 1', []],
  ['f = lambda v, by=3: v * factor\nfactor = 2', []],
  ['f(lambda: x)\nx = 1', []],
  ['if a: x = 1', []],
  ['if a:\n    b = 1\nx = 1', []],
  ['def f(): return x\nx = 1', []],
  ['try: y\nexcept NameError: pass\nx = 1', []],
  ['f(\nx = 1\n)', []],
  ['a = """\nx = 1\n"""', []],
  ["a = '''b'''\nx = 1", []],
  ['if a \\\n: \\\nx = 1', []],
  ['  x = 1', []],
  ['@f\nx = 1', []],
  ['%run x\nx = 1', []],
  ['x: int = 1\ny = 1', []],
  ['x.y = 1\nx[0] = 1\nx = 1', []],
  ['a = "it\\"s"\nx = 1', []],
  ['a = "open\nx = 1', []],
  ['(x := 1)\nx = 2', []],
  ['del x\nx = 1', []],
  ['x, = 1,', []],
])('%j assigns %j before it mentions them', (text, assigned) => {
  expect([...assignedFirst(text, wordsIn)]).toEqual(assigned);
});
