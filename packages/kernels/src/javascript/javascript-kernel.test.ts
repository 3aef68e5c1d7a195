import { inspect } from 'node:util';
import { decodeJson, encodeJson, Float, isObject, type Json } from '@woof/net';
import { describeUnless } from '@woof/testkit';
import { afterAll, expect, it } from 'vitest';
import { exerciseKernel } from '../exercise-kernel.ts';
import { KernelCase, runCell, whyNoSandbox } from '../kernel-case.ts';

await exerciseKernel('javascript', {
  assign: (value) => `const x = ${value};`,
  print: 'console.log(x)',
  alternate: 'for (const [a, b] of ["ab", "cd", "ef"]) { console.log(a); console.error(b); }',
  ordered: true,
  last: ['const a = ["é"]\na', "[ 'é' ]"],
  fail: ['\nnull.x', 'TypeError', /<prep>:2/],
  exit: ['process.exit(3)', 'ProcessExit'],
  closes: `const fs = require('fs'); process.stdout.end();
for (let fd = 0; fd < 40; fd++) { try { fs.closeSync(fd) } catch {} fs.close(fd, () => {}) }
undefined`,
  endless: 'while (true) {}',
  suicide: 'process.kill(process.pid, "SIGKILL"); while (true) {}',
  flood: (bytes) =>
    `const b = Buffer.alloc(65536, 'x'); for (let i = 0; i < ${bytes} / 65536; i++) process.stdout.write(b); undefined`,
  invalidUtf8: 'process.stdout.write(Buffer.from([0x61, 0xff, 0xc3, 0xa9, 10])); undefined',
  printBound: 'console.log(given[0], woof["given"][1]); if (!woof["not-an-identifier"].deep[0]) throw 1',
  printParameter: 'console.log(parameters.greeting)',
  forge: (line) =>
    `for (let fd = 3; fd < 400; fd++) { try { require('fs').writeSync(fd, ${JSON.stringify(`${line}\n`)}) } catch {} }`,
  setList: 'var values = [{ a: 1.5, b: null }, [1, "x"], NaN]',
  listRead: [{ a: 1.5, b: null }, [1, 'x'], null],
  kept: (value) => decodeJson(encodeJson(withOwnNumbers(value))),
});

/** JavaScript has one kind of number: a whole float is an int as far as ints are exact. */
function withOwnNumbers(value: Json): Json {
  if (value instanceof Float) return Number.isSafeInteger(value.value) ? value.value : value;
  if (Array.isArray(value)) return value.map(withOwnNumbers);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withOwnNumbers(item)]));
}

const reason = await whyNoSandbox();

describeUnless(reason)('a JavaScript kernel', () => {
  const kernels = new KernelCase();
  afterAll(() => kernels.remove());

  it('keeps every kind of declaration for later cells, which may declare it again', async () => {
    const kernel = await kernels.start('js');
    const code = `import { sep } from 'node:path'
const a = 1, { b } = { b: 2 }; let c = await Promise.resolve(3); class D { d = 4 }
function e() { return 5 } var f = 6; async function g() { return 7 }`;
    for (const again of [1, 2]) {
      expect((await runCell(kernel, code)).error, String(again)).toBeUndefined();
      expect((await runCell(kernel, '[sep, a, b, c, new D().d, e(), f, await g()]')).result).toBe(
        "[\n  '/', 1, 2, 3,\n  4,   5, 6, 7\n]",
      );
    }
  });

  it.each([
    ['1 + 1', '2'],
    ['x = 5', undefined],
    ['var y = 5', undefined],
    ['undefined', undefined],
    ['await Promise.resolve("z")', "'z'"],
    ['({ a: 1 })', '{ a: 1 }'],
    ['"use strict"', undefined],
  ])('shows %j as %j', async (code, shown) => {
    expect(await runCell(await kernels.start('js'), code)).toMatchObject({ status: 'ok', result: shown });
  });

  it('reads a key with an escape after one that is a backslash', async () => {
    const kernel = await kernels.start('js');
    const objects = ['\\', '\n', '"', 'a\\', 'a"', '\ud800"'].map((key) => ({
      before: 2n ** 60n,
      [key]: { [key]: 0 },
    }));
    for (const object of objects) {
      await kernel.bind('given', [object]);
      expect((await runCell(kernel, 'Object.keys(given[0])[1]')).result).toBe(
        inspect(Object.keys(object)[1]),
      );
      expect(await kernel.read('given')).toEqual([object]);
    }
  });

  it.each([
    ['2 ** 60', new Float(2 ** 60)],
    ['[-(2 ** 53), 2 ** 53 - 1, 1e21]', [new Float(-(2 ** 53)), 2 ** 53 - 1, new Float(1e21)]],
    ['new Map([["a", 1n], ["b", new Map()]])', { a: 1, b: {} }],
    ['new Map([[1, "x"]])', [[1, 'x']]],
    ['({ b: Buffer.from("a"), s: new String("x") })', { b: [97], s: 'x' }],
    ['({ s: new Set([2, 1]), e: new Set() })', { s: [2, 1], e: [] }],
    [
      '[new Uint8Array([1, 2]), new Float64Array([0.5, NaN])]',
      [
        [1, 2],
        [0.5, null],
      ],
    ],
    ['({ 0: "x", e: {} })', { 0: 'x', e: {} }],
    ['new BigInt64Array([2n ** 60n])', [2n ** 60n]],
  ])('reads %s', async (code, value) => {
    const kernel = await kernels.start('js');
    await runCell(kernel, `var given = ${code}`);
    expect(await kernel.read('given')).toEqual(value);
  });

  it('displays bundles in order with the other outputs', async () => {
    const code =
      'console.log("a"); display({ "text/html": "<b>", "image/png": new Uint8Array([1]) }); console.log("b"); display(5)';
    const { outputs } = await runCell(await kernels.start('js'), code);
    expect(outputs.map((o) => ('text' in o ? o.text : 'data' in o && o.data))).toEqual([
      'a\n',
      { 'text/html': '<b>', 'image/png': 'AQ==' },
      'b\n',
      { 'text/plain': '5' },
    ]);
  });

  it('shows only the cell’s own lines of an error and none of the driver’s', async () => {
    const kernel = await kernels.start('js');
    const { error } = await runCell(kernel, 'function f() {\n  throw new RangeError("bad")\n}\nf()', {
      id: 'prep',
    });
    expect(error).toEqual({
      ...{ output_type: 'error', ename: 'RangeError', evalue: 'bad' },
      traceback: ['RangeError: bad', '    at f (<prep>:2:9)', '    at <prep>:4:1'],
    });
    expect((await runCell(kernel, 'const = 1')).error?.ename).toBe('SyntaxError');
    expect((await runCell(kernel, 'throw { odd: 1 }')).error?.evalue).toBe('thrown: { odd: 1 }');
    const late = 'setTimeout(() => { throw new Error("late") }, 1); await new Promise(() => {})';
    expect((await runCell(kernel, late)).error?.evalue).toBe('late');
  });

  it('reports the position of an error in the text of the cell, whatever the cell awaits or declares', async () => {
    const kernel = await kernels.start('js');
    await runCell(kernel, 'function nope() { throw new Error("no") }');
    for (const code of [
      'await 1; nope2()',
      'const a = 1; nope()',
      'class B {}; nope()',
      'import { sep } from "node:path"; nope()',
      'await 1; nope()',
      'await 1; nope(); 5 // the last value',
      '\n  let c = await 2; nope()',
      'await 1; function d() { nope() } d()',
      'await 1; class E { f() { nope() } }; new E().f()',
      'for await (var g of [1]) nope()',
      'const [h] = [await 1], i = nope()',
      'if (await 1) { var { j } = {}, k = nope() }',
      '"use strict"; await 1; nope()',
    ]) {
      const before = code.slice(0, code.indexOf('nope')).split('\n');
      const { error } = await runCell(kernel, code, { id: 'prep' });
      const place = `<prep>:${before.length}:${before.at(-1)!.length + 1}`;
      expect(error?.traceback.slice(0, 3).join('\n'), code).toContain(place);
    }
    const { error } = await runCell(kernel, 'await 1\nconst = 2', { id: 'prep' });
    expect(error?.traceback.slice(0, 3)).toEqual(['<prep>:2', 'const = 2', '      ^']);
    const exported = await runCell(kernel, '1\n2; export const a = await 1', { id: 'prep' });
    expect(exported.error?.traceback.slice(0, 3)).toEqual([
      '<prep>:2',
      '2; export const a = await 1',
      '   ^^^^^^',
    ]);
  });

  it('keeps the declarations of a cell that awaits, at any depth, and shows its last value', async () => {
    const kernel = await kernels.start('js');
    const code = `console.log(typeof a, b(), d); const a = await 1, { x: { y: [c] }, ...rest } = { x: { y: [2] }, z: 3 }
function b() { return 4 }
if (a) var d = await 5; else d = 0
for (var e = await 6; e < 8; e++);
for (var f of [await 9]) { for (const hidden of [0]); }
class G extends (await Object) {}
a // the last value`;
    for (const again of ['undefined 4 undefined\n', 'number 4 5\n']) {
      expect(await runCell(kernel, code)).toMatchObject({ status: 'ok', stdout: again, result: '1' });
    }
    const seen = 'JSON.stringify([a, c, rest, b(), d, e, f, G.name, typeof hidden])';
    expect((await runCell(kernel, seen)).result).toBe(`'[1,2,{"z":3},4,5,8,9,"G","undefined"]'`);
  });

  it('closes what the cell opened, and does not count a cell as done if it broke Node', async () => {
    const kernel = await kernels.start('js');
    const own = `const fs = require('fs'), fd = fs.openSync('/dev/null'); fs.closeSync(fd)
try { fs.fstatSync(fd) } catch (error) { console.log(error.code) }`;
    expect((await runCell(kernel, own)).stdout).toBe('EBADF\n');
    const around = "for (let fd = 4; fd < 18; fd++) process.binding('fs').close(fd)";
    expect(await runCell(kernel, around)).toMatchObject({ status: 'died', error: { ename: 'KernelDied' } });
  });
});
