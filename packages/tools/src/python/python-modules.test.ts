import { expect, it } from 'vitest';
import { standardModules } from './python-modules.ts';

it.each([
  ['import math', ['math']],
  ['import math, csv as c, numpy', ['math', 'csv']],
  ['x = 1\n  from urllib.request import urlopen', ['urllib.request']],
  ['async def main(): pass', ['asyncio']],
  ['import own_module\nfrom .x import y\n# import nothing', []],
  ['print("import os")', []],
])('finds the standard modules of %j', (code, modules) => {
  expect(standardModules(code)).toEqual(modules);
});
