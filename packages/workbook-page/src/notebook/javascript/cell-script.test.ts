import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { AWAIT, cellScript, SHOW } from './cell-script.ts';

/** Runs cells one after the other, as a page does; returns what each showed. */
async function run(...cells: string[]): Promise<unknown[]> {
  const shown: unknown[] = [];
  const world = createContext({ setTimeout });
  for (const cell of cells) {
    let value: unknown;
    let waits: unknown;
    Object.assign(world, {
      [SHOW]: (found: unknown) => (value = found),
      [AWAIT]: (promise: unknown) => (waits = promise),
    });
    runInContext(cellScript(cell), world);
    await waits;
    shown.push(value);
  }
  return shown;
}

describe('the script of a cell', () => {
  it.each<[string, string, unknown]>([
    ['a number', '1 + 1', 2],
    ['with a semicolon', 'const a = 2;\na * 2;', 4],
    ['without semicolons', 'const a = 2\nlet b = a\nb + 1', 3],
    ['over several lines', 'const list = [3, 1, 2]\nlist\n  .filter((x) => x > 1)\n  .length', 2],
    ['a call behind a comment', 'const f = () => 7 // seven\nf() // call', 7],
    ['an object in brackets', '({ a: 1 })', { a: 1 }],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a cell
    ['a template', 'const n = 3;\n`n is ${n > 2 ? `${n}!` : "}"}`', 'n is 3!'],
    ['a pattern behind a semicolon', 'const t = "a/b";\n/\\//.test(t)', true],
    ['division', 'const a = 8, g = 2\na / 2 / g', 2],
    ['after a block', 'let n = 0\nfor (const x of [1, 2]) { n += x }\nn', 3],
    ['after an if without braces', 'let n = 0\nif (n)\n  n = 1\nelse\n  n = 2\nn', 2],
    ['after try', 'let n\ntry { null.x } catch (e) { n = e.name } finally { n += "!" }\nn', 'TypeError!'],
    ['after do', 'let n = 0\ndo n++; while (n < 3)\nn', 3],
    ['after a switch', 'let n = 1\nswitch (n) { case 1: n = 5 }\nn', 5],
    ['after a function', 'function f(a = {}) { return 4 }\nf()', 4],
    ['after a class', 'class A { #x = 1; get x() { return this.#x } }\nnew A().x', 1],
    ['an arrow with a body', 'const f = (x) => {\n  return x + 1\n}\nf(1)', 2],
    ['a new line before a sign', 'const a = 1\nconst b = a\n  + 2\nb', 3],
    ['a sequence', 'let a\na = 1, 5', 5],
    ['a ternary', 'const a = 1;\na === 1 ? "yes" : "no"', 'yes'],
    ['awaited', 'const a = await Promise.resolve(3);\na + 1', 4],
    ['awaited in a loop', 'let sum = 0\nfor (const p of [1, 2]) sum += await p\nsum', 3],
    ['of a for await', 'let sum = 0;\nfor await (const p of [1, 2]) sum += p;\nsum', 3],
    ['negated', '!true', false],
    ['increment on a line of its own', 'let a = 1\nlet b = a\n++b\nb', 2],
  ])('shows its last expression: %s', async (_, code, value) => {
    const expected = JSON.stringify(value);
    expect(JSON.stringify((await run(code))[0])).toBe(expected);
  });

  it.each([
    ['an assignment', 'let a\na = 5'],
    ['a destructuring assignment', 'let a;\n({ a } = { a: 1 })'],
    ['a declaration', 'const a = 5'],
    ['a function', 'function f() {}'],
    ['an if', 'if (true) { 5 }'],
    ['a directive', '"use strict"'],
    ['nothing', '// nothing'],
    ['undefined', 'void 0'],
  ])('shows nothing for %s', async (_, code) => {
    expect(await run(code)).toEqual([undefined]);
  });

  it('leaves its names to the cells after it', async () => {
    const first =
      'const a = 1, { b, c: [d = 4] } = { b: 2, c: [] }\nlet e\nclass F {}\nfunction g() { return a + b + d }';
    expect(await run(first, 'g()', 'typeof F + typeof e')).toEqual([undefined, 7, 'functionundefined']);
  });

  it('leaves the names of a cell that awaits, too', async () => {
    const first =
      'const a = await 1, { b, ...rest } = await { b: 2, c: 3 }\nclass F {}\nfunction g() { return a + b + rest.c }';
    expect(await run(first, 'g()', 'a = 5\ng()', 'typeof F')).toEqual([undefined, 6, 10, 'function']);
  });

  it('may run again', async () => {
    const cell = 'const a = 1; let b = 2; class C {}; function f() {}\na + b';
    expect(await run(cell, cell)).toEqual([3, 3]);
  });

  it('distinguishes an await inside a function from one outside', () => {
    expect(cellScript('const f = async () => { await 1 }')).not.toContain(AWAIT);
    expect(cellScript('async function f() { for await (const x of y) await x }')).not.toContain(AWAIT);
    expect(cellScript('if (a) { await b }')).toContain(AWAIT);
  });

  it('moves no line', () => {
    const cell = 'const a = 1\n\nawait a\nclass B {}\na.b.c';
    const script = cellScript(cell).split('\n');
    for (const [at, line] of cell.split('\n').entries()) expect(script[at]).toContain(line.split(' ').at(-1));
  });

  it('leaves a text that is not a script alone', () => {
    for (const bad of ['const a = (', '}', 'f(]', '"open', '`open ${', 'if', 'class', 'for']) {
      expect(() => cellScript(bad)).not.toThrow();
    }
    expect(cellScript('const a = (')).toBe('const a = (');
  });
});
