import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Float, type Json, type JsonObject } from '@woof/net';
import { describeUnless } from '@woof/testkit';
import { exactValues } from '@woof/testkit/exact-values';
import { afterAll, describe, expect, it } from 'vitest';
import { CodeCase, FILES, whyNot } from '../code-case.ts';
import { exerciseTool } from '../exercise-tool.ts';
import { createPythonTool } from './python-tool.ts';

const reason = await whyNot();

describeUnless(reason)('python', () => {
  const python = new CodeCase(createPythonTool());
  const { workdir } = python;
  afterAll(() => python.remove());

  exerciseTool('python', {
    make: createPythonTool,
    good: [{ input: { code: 'result = 1' } }, { input: { code: '' } }],
    bad: [
      [{ input: {} }, /"code" is missing/],
      [{ input: { code: ['x'] } }, /"code" must be text, got a list of 1/],
      [{ input: { code: 'x', args: [1] } }, /"args" must be a map/],
      [{ input: { code: 'x', libs: 'numpy' } }, /"libs" must be a map of names to modules/],
      [{ input: { code: 'x', script: 'y.py' } }, /cannot be used together/],
      [
        { input: { script: { uri: 'missing.py' } } },
        /"script.uri": there is no file "missing.py" in \/.*, the document’s folder/,
      ],
      [{ input: { code: 'x', timeout_seconds: -1 } }, /"timeout_seconds"/],
      [{ input: { code: 'x' }, spec: { memory_mb: 1 } }, /"memory_mb" must be a number of at least 16/],
      [{ input: { code: 'result = {1, 2}' } }, /result is of type set/],
    ],
    slow: { input: { code: 'import time\nwhile True: time.sleep(1)' } },
  });

  const result = async (code: string, args: JsonObject = {}, more: JsonObject = {}) => {
    const outcome = await python.run({ code, args, ...more });
    expect(outcome.status, JSON.stringify(outcome.error)).toBe('ok');
    return outcome.result;
  };

  describe('the result', () => {
    it.each<[string, Json]>([
      ['result = {"a": (1, None, True)}', { a: [1, null, true] }],
      ['result = x + y', 3],
      ['result = input_data', { x: 1, y: 2 }],
      ['def main(x): return x', 1],
      ['def main(x, y=5, z=7): return [x, y, z]', [1, 2, 7]],
      ['def main(**kw): return kw', { x: 1, y: 2 }],
      ['def main(input_data): return input_data', { x: 1, y: 2 }],
      ['async def main(x):\n    import asyncio\n    await asyncio.sleep(0)\n    return x', 1],
      ['def main(): return 1\nresult = 2', 2],
      ['result = None', null],
      ['print("a")\nimport sys\nprint("b", file=sys.stderr)', { stdout: 'a\n', stderr: 'b\n' }],
      ['return x', 1],
      ['if x:\n    return {"early": True}\nresult = 5', { early: true }],
      ['z: int = 4\ndef f(): return z\nif not x:\n    return 0\nresult = f()', 4],
      ['import json as j\nfor i in range(3):\n    if i == x:\n        return j.dumps(i)', '1'],
      ['return', null],
      ['    result = x\n    result += 1\n', 2],
      ['result = "é😀\\ud800"[:2]', 'é😀'],
    ])('of %j', async (code, expected) => {
      expect(await result(code, { x: 1, y: 2 })).toEqual(expected);
    });

    it('keeps the dict of arguments, whatever the arguments are called, but not input_data', async () => {
      const args = { args: 1, input_data: [7], context: 2 };
      expect(await result('result = [args, input_data]', args)).toEqual([args, [7]]);
      expect(await result('def main(args, input_data): return [args, input_data]', args)).toEqual([
        args,
        [7],
      ]);
      expect(await result('def main(**rest): return rest["input_data"]', args)).toEqual([7]);
      const seen = { workload: { x: 5 } };
      const call = { context: () => Promise.resolve(seen) };
      expect(
        (await python.run({ code: 'result = [context, args["context"]]', args }, {}, {}, call)).result,
      ).toEqual([seen, 2]);
    });

    it('accepts input as another name of args, and imports libs', async () => {
      expect(await result('result = m.sqrt(x)', {}, { input: { x: 9 }, libs: { m: 'math' } })).toEqual(
        new Float(3),
      );
      expect(await result('result = math.sqrt(x)', { x: 4 }, { libs: ['math'] })).toEqual(new Float(2));
    });

    it.each([
      [{ day: { from: 'datetime', import: 'date' } }, 'str(day(2030, 1, 2))', '2030-01-02'],
      [{ from: 'math', import: ['sqrt', 'floor'] }, 'floor(sqrt(17))', 4],
      [
        [
          { import: 'json', as: 'j' },
          { from: 'os', import: 'path' },
        ],
        'j.dumps(path.join("a", "b"))',
        '"a/b"',
      ],
      [
        ['import os.path, json as j', 'from math import pi as p'],
        '[os.path.join("a", j.dumps(1)), round(p)]',
        ['a/1', 3],
      ],
      [{ tree: 'xml.etree.ElementTree' }, 'tree.fromstring("<a/>").tag', 'a'],
      [[{ from: 'xml.etree', import: 'ElementTree' }], 'ElementTree.fromstring("<a/>").tag', 'a'],
    ])('imports %j', async (libs, code, expected) => {
      expect(await result(`result = ${code}`, {}, { libs })).toEqual(expected);
    });

    it('says which module or name is missing', async () => {
      const outcome = await python.run({ code: 'x', libs: { from: 'math', import: 'nothing' } });
      expect(outcome.error).toMatchObject({
        exception_type: 'ModuleNotFoundError',
        message: expect.stringContaining('math.nothing'),
      });
    });

    it('turns NaN and infinity into null, and says so', async () => {
      expect(await result('result = [float("nan"), {"a": float("-inf")}, 1.5]')).toEqual([
        null,
        { a: null },
        1.5,
      ]);
      expect(python.logged.join('')).toMatch(/2 numbers in the result were NaN or infinite/);
    });

    it('preserves any value, both ways', async () => {
      const values = exactValues(300);
      expect(await result('result = x', { x: values })).toEqual(values);
      expect(
        await result('result = [type(v).__name__ for v in x]', { x: [1, new Float(1), 2n ** 64n] }),
      ).toEqual(['int', 'float', 'int']);
    });

    it.each([
      [
        'import datetime\nresult = {"a": [0, datetime.date(2020, 1, 1)]}',
        /result\['a'\]\[1\] is of type datetime.date/,
      ],
      ['result = {(1, 2): 3}', /a key of result is of type tuple/],
      ['result = []\nresult.append(result)', /result\[0\] contains itself/],
      ['result = object()', /result is of type object/],
      ['result = 10 ** 10000', /integer of \d+ bits/],
      ['x = []\nfor i in range(2000): x = [x]\nresult = x', /nested deeper than 200/],
    ])('reports what is not JSON in %j', async (code, message) => {
      const { error } = await python.run({ code });
      expect(error).toMatchObject({ kind: 'schema', retryable: false });
      expect(error?.message).toMatch(message);
    });

    it('says that a result is too large', async () => {
      const { error } = await python.run({ code: 'result = "x" * (65 << 20)' });
      expect(error).toMatchObject({
        kind: 'storage',
        message: expect.stringMatching(/68157442 bytes.*limit is 67108864.*write a file/),
      });
    });

    it('carries large results and arguments', async () => {
      const text = 'é'.repeat(3_000_000);
      expect(await result('result = [len(text), text]', { text })).toEqual([3_000_000, text]);
    });
  });

  describe('failures', () => {
    it('shows the lines of the code', async () => {
      const outcome = await python.run({
        code: '\ndef inner():\n    raise ValueError("bad")\n\n1 + inner()',
      });
      expect(outcome).toMatchObject({
        status: 'error',
        error: {
          kind: 'exception',
          retryable: false,
          message: 'ValueError: bad',
          exception_type: 'ValueError',
        },
        py: { exception_type: 'ValueError', line: 3 },
      });
      const traceback = String(outcome.error?.details?.traceback);
      expect(traceback).toContain('File "<code>", line 5, in <module>\n    1 + inner()');
      expect(traceback).not.toContain('         ^');
      expect(traceback).toContain('File "<code>", line 3, in inner\n    raise ValueError("bad")');
      expect(traceback).not.toContain('<woof>');
    });

    it('leaves the line of a syntax error to its details', async () => {
      const { error } = await python.run({ code: 'x = 1\ndef main(\n  return x' });
      expect(error).toMatchObject({ message: expect.not.stringContaining('<code>'), details: { line: 2 } });
    });

    it.each([
      ['def x(:', 'SyntaxError', 1, false],
      ['x = 1\nif x:\nreturn 1', 'IndentationError', 3, false],
      ['x = 1\nif x:\n    undefined_name\n    return 1', 'NameError', 3, false],
      ['import no_such_module', 'ModuleNotFoundError', 1, false],
      ['assert False', 'AssertionError', 1, false],
      ['raise ConnectionResetError("x")', 'ConnectionResetError', 1, true],
      ['raise TimeoutError("x")', 'TimeoutError', 1, true],
      ['def main(needed): pass', 'TypeError', null, false],
      ['import sys\nsys.exit(3)', 'SystemExit', 2, false],
      ['raise KeyboardInterrupt', 'KeyboardInterrupt', 1, false],
    ])('reports %j', async (code, type, line, retryable) => {
      const outcome = await python.run({ code });
      expect(outcome.error).toMatchObject({ kind: 'exception', exception_type: type, retryable });
      expect(outcome.py).toEqual({ exception_type: type, line });
    });

    it.each([
      ['result = n + 1', true],
      ['def main(n): return n', true],
      ['result = other', false],
    ])('says how to pass what templates can read: %j', async (code, isReadable) => {
      const { error } = await python.run({ code }, {}, {}, { context: () => ({ n: 1, workload: {} }) });
      expect(error?.message.endsWith('add `args: {n: "{{ n }}"}` to the task')).toBe(isReadable);
    });

    it.each([
      ['import os; os._exit(3)', /ended its process with exit code 3/],
      ['import sys; sys.exit("bye")', /called sys.exit\('bye'\)/],
      ['import ctypes; ctypes.string_at(0)', /segmentation fault.*SIGSEGV/],
      ['import os, signal; os.kill(os.getpid(), signal.SIGTERM)', /was killed by SIGTERM/],
      [
        'import os, signal; os.kill(os.getppid(), signal.SIGKILL); import time; time.sleep(1000)',
        /interpreter ended/,
      ],
    ])('reports what happened in %j', async (code, message) => {
      const { error } = await python.run({ code });
      expect(error?.kind).toBe('exception');
      expect(error?.message).toMatch(message);
    });

    it('says that memory ran out, and does not blame the next task', async () => {
      const spec = { memory_mb: 64 };
      const { error } = await python.run({ code: 'x = bytearray(500 << 20)' }, spec);
      expect(error?.exception_type).toBe('MemoryError');
      expect(error?.message).toMatch(/memory_mb.*64/);
      const next = await python.run({ code: 'import os; os.kill(os.getpid(), 9)' }, spec);
      expect(next.error?.message).toMatch(/killed by SIGKILL/);
    });

    it('is killed at its timeout, from the field or the spec', async () => {
      const code = 'import time\ntime.sleep(1000)';
      expect((await python.run({ code, timeout_seconds: 0.3 })).error).toMatchObject({
        kind: 'timeout',
        retryable: true,
      });
      expect((await python.run({ code }, { timeout: 0.3 })).error).toMatchObject({ kind: 'timeout' });
    });
  });

  describe('scripts', () => {
    it('runs a file under the folder and shows its name', async () => {
      writeFileSync(join(workdir, 'task.py'), 'def main(x):\n    return 1 / x\n');
      expect((await python.run({ script: { uri: './task.py' }, args: { x: 2 } })).result).toBe(0.5);
      const { error } = await python.run({ script: { uri: 'file://task.py' }, args: { x: 0 } });
      expect(error?.details?.traceback).toContain('File "task.py", line 2, in main\n    return 1 / x');
    });

    it('does not run one from outside', async () => {
      expect((await python.run({ script: { uri: '../secret' } })).error?.message).toMatch(
        /under the document’s folder/,
      );
    });
  });

  it('streams its output', async () => {
    python.logged.length = 0;
    await result('import sys\nprint("one")\nsys.stderr.write("two")\nresult = 1');
    expect(python.logged).toEqual(['stdout: one\n', 'stderr: two']);
  });

  it('keeps 10 MiB of a flood', async () => {
    const { stdout } = (await result('for i in range(300): print("x" * 99999)')) as { stdout: string };
    expect(stdout).toMatch(/19514240 more bytes of output were dropped/);
  });

  it('imports modules of the folder with files', async () => {
    writeFileSync(join(workdir, 'own_module.py'), 'VALUE = 42\n');
    expect(await python.run({ code: 'import own_module\nresult = own_module.VALUE' }, FILES)).toMatchObject({
      result: 42,
    });
    expect(await python.run({ code: 'import own_module' })).toMatchObject({
      error: { exception_type: 'ModuleNotFoundError' },
    });
  });
});
