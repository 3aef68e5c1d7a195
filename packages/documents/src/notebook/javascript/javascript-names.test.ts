import { describe, expect, test } from 'vitest';
import { javascriptNames } from './javascript-names.ts';

const F = '`';

describe('what a cell defines', () => {
  test.each<[string, string[]]>([
    ['var x = 1', ['x']],
    ['const a = 1, b = f(2, 3), c = [4, 5]', ['a', 'b', 'c']],
    ['let a, b\nlet c', ['a', 'b', 'c']],
    ['const {a, b: c, d = 1, ...e} = o', ['a', 'c', 'd', 'e']],
    ['const [a, [b]] = o', ['a', 'b']],
    ['function f(a, b = 1) { const c = 1 }', ['f']],
    ['async function* g() {}', ['g']],
    ['class A extends B { count = 0; run(x) { let y = x } }', ['A']],
    ['import d, { a, b as c } from "m"\nimport * as n from "m"', ['a', 'c', 'd', 'n']],
    ['x = 1; y ??= 2; o.p = 3; o[q] = 4', ['x']],
    ['[a, b] = [1, 2]', ['a', 'b']],
    ['if (1) { var inner = 1; let own = 2; own = 3 }', ['inner']],
    ['for (const k of ks) {}\nfor (let i = 0; i < 3; i++) {}\nfor (var v of vs) {}', ['v']],
    ['const f = (a) => { const b = a; return b }', ['f']],
    ['const f = x => x + 1\nconst g = 2', ['f', 'g']],
    ['"var x = 1" // var y\n/* var z */', []],
    ['x == 1; y === 2; z => 3; f(k = 4)', []],
  ])('%s', (code, defined) => {
    expect([...javascriptNames(code)!.defined].sort()).toEqual(defined);
  });
});

describe('what a cell takes from others', () => {
  test.each<[string, string[]]>([
    ['x + 1', ['x']],
    ['console.log(obj.attr?.more, f({ key: v, w }))', ['f', 'obj', 'v', 'w']],
    ['total += n; count++', ['count', 'n', 'total']],
    ['const y = x', ['x']],
    ['const {a} = source', ['source']],
    ['a[i] = b.c', ['a', 'b', 'i']],
    ['rows.map((row) => row * scale)', ['rows', 'scale']],
    ['rows.map(function (row) { return row * scale })', ['rows', 'scale']],
    ['const f = (a) => a + later\nnow', ['now']],
    ['const f = (a) => { return later }', []],
    ['function f(a, b = later) { return later2 }', []],
    ['class A { run(x) { return later } field = later2 }', []],
    ['const o = { run(x) { return later }, get size() { return 1 }, n: now }', ['now']],
    ['typeof x === "undefined" ? null : x', []],
    ['f(...args)', ['args', 'f']],
    [`${F}a \${b + ${F}\${c}${F}} \\\${d} e${F}`, ['b', 'c']],
    ['"name" + \'other\' // name2\n/* name3 */', []],
    ['const parts = text.split(/[/"]name\\/x/g)', ['text']],
    ['a / b / c', ['a', 'b', 'c']],
    ['return_ = 1; x = return_ / 2', []],
    ['outer: for (const k of ks) { if (k) continue outer; else break outer }', ['ks']],
    ['try { a() } catch (e) { e.message }', ['a']],
    ['for await (const part of parts) use(part)', ['parts', 'use']],
    ['new Chart(data, { mark: "bar" })', ['Chart', 'data']],
    ['x?.5 : y', ['x', 'y']],
    ['if (a) { b } else { c }', ['a', 'b', 'c']],
    ['while (queue.length > 0) { take(queue) }', ['queue', 'take']],
    ['const first = 1\nuse(second)', ['second', 'use']],
    ['let a = 1; { a = 2 }', []],
    ['await load()', ['load']],
    ['const { readFile } = await import("node:fs/promises")', []],
    ['a.if(b) ; (c)', ['a', 'b', 'c']],
    ['#!/usr/bin/env node\nx', ['x']],
    ['größe + $el', ['$el', 'größe']],
  ])('%s', (code, used) => {
    expect([...javascriptNames(code)!.used.keys()].sort()).toEqual(used);
  });

  test('the place is that of the first read', () => {
    expect(javascriptNames('// x\n1 + x + x')!.used.get('x')).toBe(9);
  });
});

test.each(['"open', '/* open', `${F}open`, `${F}\${a`, 'f(', ')', '[}'])('%s cannot be read', (code) => {
  expect(javascriptNames(code)).toBeUndefined();
});

test.each(['globalThis.a = 1', 'eval(code)', 'Function("a")', 'this.a = 1'])(
  '%s may define any name',
  (code) => {
    expect(javascriptNames(code)!.isOpen).toBe(true);
  },
);
