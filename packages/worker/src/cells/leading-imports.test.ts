import { expect, it } from 'vitest';
import { leadingImports, modulesIn } from './leading-imports.ts';

it.each<[text: string, bound: string[], modules: string[], rest: string]>([
  ['import numpy\nx', ['numpy'], ['numpy'], 'x'],
  ['import numpy as np, os.path\nx', ['np', 'os'], ['numpy', 'os.path'], 'x'],
  ['import a; import b as c; c.d', ['a', 'c'], ['a', 'b'], 'c.d'],
  ['\n# why\nfrom a.b import c, d as e  # so\n\nx', ['c', 'e'], ['a.b.c', 'a.b.d', 'a.b'], '\nx'],
  ['from a import (\n  b,\n  c as d,\n)\nx', ['b', 'd'], ['a.b', 'a.c', 'a'], 'x'],
  ['import a', ['a'], ['a'], ''],
  ['x = 1\nimport a', [], [], 'x = 1\nimport a'],
  ['from a import *\nx', [], [], 'from a import *\nx'],
  ['from a import (b # c\n)', [], [], 'from a import (b # c\n)'],
  ['from a import b \\\n, c', [], [], 'from a import b \\\n, c'],
  ['import a if x', [], [], 'import a if x'],
  ['import_a()', [], [], 'import_a()'],
  ['"""\nimport a\n"""', [], [], '"""\nimport a\n"""'],
  ['# why\n"""The\n\\""" mean"""  # so\nimport a\nx', ['a'], ['a'], '# why\n"""The\n\\""" mean"""  # so\nx'],
  ["'''it's'''\nimport a", ['a'], ['a'], "'''it's'''\n"],
  ["'it\\'s'\nimport a", ['a'], ['a'], "'it\\'s'\n"],
  ['""\nimport a', ['a'], ['a'], '""\n'],
  ['""""""\nimport a', ['a'], ['a'], '""""""\n'],
  ['f"{x}"\nimport a', [], [], 'f"{x}"\nimport a'],
  ['"a".join(x)\nimport a', [], [], '"a".join(x)\nimport a'],
  ['"a" "b"\nimport a', [], [], '"a" "b"\nimport a'],
  ['"a" \\\n% x\nimport a', [], [], '"a" \\\n% x\nimport a'],
  ['"a\nimport a', [], [], '"a\nimport a'],
  ['"a"; x\nimport a', [], [], '"a"; x\nimport a'],
  ['"a"\n"b"\nimport a', [], [], '"a"\n"b"\nimport a'],
])('%j begins with imports that bind %j', (text, bound, modules, rest) => {
  const found = leadingImports(text);
  expect([[...found.bound], found.modules, found.rest]).toEqual([bound, modules, rest]);
});

it.each<[text: string, modules: string[]]>([
  ['x = 1\nimport a.b as c, d\n', ['a.b', 'd']],
  ['def f():\n    from a.b import c as d, e  # so', ['a.b.c', 'a.b.e', 'a.b']],
  ['from a import (\n  b,\n  c,\n)', ['a.b', 'a.c', 'a']],
  ['from a import \\\n  b', ['a.b', 'a']],
  ['exec("import a.b")', ['a.b']],
  ['import_a()\nimportant = 1', []],
])('%j may load %j', (text, modules) => {
  expect(modulesIn(text)).toEqual(modules);
});
