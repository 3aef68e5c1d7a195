import type { Json } from '@woof/net';
/** What is specific to Python: values, displays, tracebacks, awaiting, IPython syntax. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeUnless } from '@woof/testkit';
import { afterAll, expect, it } from 'vitest';
import type { CellOutput } from '../kernel.ts';
import { FILES, KernelCase, runCell, SHELL, whyNoSandbox } from '../kernel-case.ts';

const reason = await whyNoSandbox();

/** Joins consecutive pieces of one stream, because it is split at arbitrary points. */
function shown(outputs: CellOutput[]): unknown[] {
  const all: unknown[] = [];
  for (const output of outputs) {
    if (output.output_type !== 'stream') all.push('data' in output ? output.data : output.ename);
    else if (String(all.at(-1)).startsWith(`${output.name}: `)) all.push(`${all.pop()}${output.text}`);
    else all.push(`${output.name}: ${output.text}`);
  }
  return all;
}

describeUnless(reason)('a Python kernel', () => {
  const kernels = new KernelCase();
  afterAll(() => kernels.remove());
  const start = () => kernels.start('python');

  it.each<[string, string | undefined]>([
    ['1 + 1', '2'],
    ['1 + 1;', undefined],
    ['1; 2', '2'],
    ['x = 1', undefined],
    ['None', undefined],
    ['"a\\ud800"', "'a\\ud800'"],
    ['import asyncio\nawait asyncio.sleep(0, "late")', "'late'"],
    ['async def f(): return 7\nawait f()', '7'],
    ['__name__', "'__main__'"],
    ['def f(): return __name__\nf()', "'__main__'"],
    ['from __future__ import annotations\ndef f(x: nobody): pass\nf.__annotations__', "{'x': 'nobody'}"],
    ['import __main__; y = 5; __main__.y', '5'],
    ['[i for i in range(3)]', '[0, 1, 2]'],
    ['import pickle\nclass A: x = 1\npickle.loads(pickle.dumps(A())).x', '1'],
    ['import inspect\ndef f():\n    return 1\ninspect.getsource(f)', "'def f():\\n    return 1\\n'"],
    ['len(repr("x" * 3000000))', '3000002'],
    ['# only a comment', undefined],
    ['', undefined],
  ])('shows %j as %j', async (code, expected) => {
    expect(await runCell(await start(), code)).toMatchObject({ status: 'ok', result: expected });
  });

  it('binds values of any depth that Python reads, and refuses deeper ones', async () => {
    const kernel = await start();
    const deep = (levels: number): Json => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    await kernel.bind('deep', deep(400));
    expect(await runCell(kernel, 'n = 0\nwhile deep: deep = deep[0]; n += 1\nn')).toMatchObject({
      result: '399',
    });
    await expect(kernel.bind('deeper', deep(2000))).rejects.toThrow(/nested too deeply/);
    expect(await runCell(kernel, '1')).toMatchObject({ status: 'ok', result: '1' });
  });

  it('keeps the order of prints, errors, displays and output of programs', async () => {
    const kernel = await kernels.start('python', { policy: SHELL });
    const code = `import os, sys, subprocess
print("a", end="")
os.system("echo b; echo c >&2")
display("e", 5)
subprocess.run("echo f >&2", shell=True)
print("g")
os.write(1, b"h\\n")
6`;
    const { outputs } = await runCell(kernel, code);
    const all = shown(outputs);
    const plain = (text: string) => ({ 'text/plain': text });
    // The two streams of one program reach the host in any order.
    const first = all.slice(0, -5).join('');
    expect(first.replace('stdout: ab\n', '')).toBe('stderr: c\n');
    expect(all.slice(-5)).toEqual([plain("'e'"), plain('5'), 'stderr: f\n', 'stdout: g\nh\n', plain('6')]);
  });

  it('makes bundles from the representations that objects define', async () => {
    const code = `class Rich:
    def __repr__(self): return 'rich'
    def _repr_html_(self): return '<b>'
    def _repr_svg_(self): return '<svg/>'
    def _repr_png_(self): return b'\\x01'
    def _repr_json_(self): return {'a': [1]}
    def _repr_markdown_(self): return '*m*'
    def _repr_latex_(self): return None
    def _repr_mimebundle_(self, include=None, exclude=None): return {'text/x-own': 'own'}, {'isolated': True}
class Broken:
    def __repr__(self): return 'broken'
    def _repr_html_(self): raise ValueError('no')
display(Broken(), Rich)
display({'text/html': '<i>'}, raw=True)
Rich()`;
    const { outputs, stderr } = await runCell(await start(), code);
    expect(stderr).toContain('_repr_html_ of Broken failed');
    expect(outputs.filter((o) => 'data' in o)).toEqual([
      { output_type: 'display_data', data: { 'text/plain': 'broken' }, metadata: {} },
      { output_type: 'display_data', data: { 'text/plain': "<class '__main__.Rich'>" }, metadata: {} },
      { output_type: 'display_data', data: { 'text/html': '<i>' }, metadata: {} },
      {
        output_type: 'execute_result',
        data: {
          ...{ 'text/plain': 'rich', 'text/html': '<b>', 'image/svg+xml': '<svg/>', 'image/png': 'AQ==' },
          ...{ 'application/json': { a: [1] }, 'text/markdown': '*m*', 'text/x-own': 'own' },
        },
        metadata: { isolated: true },
      },
    ]);
  });

  it('displays open figures at the end of the cell and closes them', async () => {
    // Replaces the library, which may not be installed, with the calls that the driver makes.
    const folder = join(kernels.workdir, 'matplotlib');
    mkdirSync(folder);
    writeFileSync(join(folder, '__init__.py'), '');
    writeFileSync(
      join(folder, 'pyplot.py'),
      `import os
backend = os.environ['MPLBACKEND']
figures = {}
class Figure:
    def savefig(self, target, format, bbox_inches): target.write(b'png')
    def __repr__(self): return 'a figure'
def get_fignums(): return sorted(figures)
def figure(number=None):
    number = number or len(figures) + 1
    return figures.setdefault(number, Figure())
def close(which): figures.clear()
`,
    );
    const kernel = await kernels.start('python', { policy: FILES });
    const { outputs } = await runCell(
      kernel,
      'from matplotlib import pyplot\npyplot.figure(); pyplot.figure()\nprint(pyplot.backend)',
    );
    const figure = { 'text/plain': 'a figure', 'image/png': 'cG5n' };
    expect(shown(outputs)).toEqual(['stdout: Agg\n', figure, figure]);
    expect((await runCell(kernel, 'pyplot.get_fignums()')).result).toBe('[]');
  });

  it.each<[string, string, RegExp]>([
    ['%matplotlib inline', 'SyntaxError', /%matplotlib is an IPython command/],
    ['x = 1\n!ls -l', 'SyntaxError', /line 2: !ls is an IPython command.*bash cell/],
    ['%%bash\nls', 'SyntaxError', /IPython.*bash cell/],
    ['%%bash\necho "it is', 'SyntaxError', /line 1: %%bash is an IPython command/],
    ['if 1:\n    %time 1\n    x = = 1', 'SyntaxError', /line 2: %time is an IPython command/],
    ['x = = 1\n!ls', 'SyntaxError', /^invalid syntax \(<cell>, line 1\)/],
    ['text = """\n%d of\n!\n"""\nx = = 1', 'SyntaxError', /^invalid syntax \(<cell>, line 5\)/],
    ['y = (7\n  % 4)\nx = = 1', 'SyntaxError', /^invalid syntax \(<cell>, line 3\)/],
    ['x = = 1 # or not?', 'SyntaxError', /^invalid syntax/],
    ['len?', 'SyntaxError', /IPython.*help/],
    ['?len', 'SyntaxError', /IPython.*help/],
    ['input("name? ")', 'RuntimeError', /cells run unattended.*parameters/],
    ['import sys; sys.exit("bye")', 'SystemExit', /sys.exit\('bye'\)/],
    ['exit()', 'SystemExit', /sys.exit/],
    ['raise KeyboardInterrupt', 'KeyboardInterrupt', /^$/],
    ['def f(:', 'SyntaxError', /invalid syntax/],
    ['import nosuch_module', 'ModuleNotFoundError', /nosuch_module/],
    ['class E(Exception):\n    def __str__(self): raise ValueError\nraise E', 'E', /cannot be made/],
    ['def f(): f()\nf()', 'RecursionError', /recursion/],
    ['raise MemoryError', 'MemoryError', /^out of memory$/],
    ['raise MemoryError("7 TiB")', 'MemoryError', /^out of memory: 7 TiB$/],
  ])('fails %j with %s', async (code, ename, message) => {
    const kernel = await start();
    const { status, error, transient } = await runCell(kernel, code);
    expect([status, error?.ename, transient]).toEqual(['error', ename, false]);
    expect(error?.evalue).toMatch(message);
    expect(error?.traceback.join('\n')).not.toMatch(/<woof>|<string>/);
    expect((await runCell(kernel, '"alive"')).status).toBe('ok');
  });

  it.each([
    ['last = "the\u2028end"\f\nlast + nope', '    last + nope\n           ^^^^'],
    ['x = 1\rx + nope', '    x + nope\n        ^^^^'],
  ])('puts the caret of %j under the name', async (code, shown) => {
    const { error } = await runCell(await start(), code);
    expect(error?.traceback.join('\n')).toContain(shown);
  });

  it('shows the lines of every cell in the traceback', async () => {
    const kernel = await start();
    await runCell(kernel, 'def f(x):\n    return 1 / x', { id: 'define' });
    const { error } = await runCell(
      kernel,
      'try:\n    f(0)\nexcept Exception as e:\n    raise ValueError("bad") from e',
      { id: 'use' },
    );
    const text = error?.traceback.join('\n') ?? '';
    expect(text).toContain('  File "<define>", line 2, in f\n    return 1 / x');
    expect(text).toContain('The above exception was the direct cause');
    expect(text).toContain('  File "<use>", line 4, in <module>\n    raise ValueError("bad") from e');
  });

  it('shows a warning in each cell that causes it', async () => {
    const kernel = await start();
    for (const id of ['one', 'two', 'three']) {
      const code = 'import warnings\nfor _ in range(2): warnings.warn("careful")';
      expect((await runCell(kernel, code, { id })).stderr.match(/careful/g), id).toHaveLength(2);
    }
  });

  it('points to the position in the line, even in the last line', async () => {
    const { error } = await runCell(await start(), 'x = 1\nprint(my-x)');
    // Python 3.9 and 3.10 print no carets.
    expect(error?.traceback.slice(2).join('\n')).toMatch(/^ {4}print\(my-x\)\n( {10}\^\^\n)?NameError/);
  });

  it.each([
    ['raise ConnectionResetError("x")', true],
    ['import socket; raise socket.timeout("x")', true],
    ['import socket; raise socket.gaierror(-3, "try again")', true],
    ['import urllib.error; raise urllib.error.URLError(ConnectionRefusedError())', true],
    ['raise FileNotFoundError("x")', false],
    ['raise AssertionError("x")', false],
  ])('knows whether %j may be retried', async (code, transient) => {
    expect(await runCell(await start(), code)).toMatchObject({ status: 'error', transient });
  });

  it.each([
    ['import os; os._exit(3)', /ended with exit code 3/, false],
    ['import ctypes; ctypes.string_at(0)', /segmentation fault \(SIGSEGV\)/, true],
    ['import os, signal; os.kill(os.getpid(), signal.SIGTERM)', /killed by SIGTERM/, true],
  ])('dies of %j and reports the cause', async (code, message, transient) => {
    const { status, error, transient: again } = await runCell(await start(), code);
    expect([status, again]).toEqual(['died', transient]);
    expect(error?.evalue).toMatch(message);
  });

  it('is interrupted at its timeout and continues; one that ignores the interrupt is killed', async () => {
    const kernel = await start();
    const slow = await runCell(kernel, 'x = 1\nimport time\nwhile True: time.sleep(1000)', {
      timeoutMs: 200,
      id: 'slow',
    });
    expect(slow.status).toBe('timeout');
    expect(slow.error?.traceback.join('\n')).toContain('File "<slow>", line 3');
    expect((await runCell(kernel, 'x')).result).toBe('1');
    const deaf = 'while True:\n    try: time.sleep(1000)\n    except BaseException: pass';
    expect(await runCell(kernel, deaf, { timeoutMs: 200 })).toMatchObject({ status: 'timeout' });
    expect(kernel.alive).toBe(false);
  });

  it('is interrupted while it writes, and keeps the order', async () => {
    const kernel = await start();
    const noisy = 'import sys\nwhile True:\n    print("o")\n    print("e", file=sys.stderr)\n    display(1)';
    expect(await runCell(kernel, noisy, { timeoutMs: 200 })).toMatchObject({ status: 'timeout' });
    expect(await runCell(kernel, '1')).toMatchObject({ status: 'ok', result: '1', stdout: '' });
  });

  it('is not interrupted by large displays', async () => {
    const { status, outputs } = await runCell(await start(), 'for i in range(8): display("x" * 900000)');
    expect([status, outputs.length]).toEqual(['ok', 8]);
  });

  it('lets no task of a cell continue during another', async () => {
    const kernel = await start();
    await runCell(
      kernel,
      'import asyncio\nsteps = 0\nasync def f():\n    global steps\n    while True: steps += 1; await asyncio.sleep(0)\ntask = asyncio.create_task(f())\nawait asyncio.sleep(0)',
    );
    const more =
      'before = steps\nfor _ in range(9): await asyncio.sleep(0)\ntask.cancelled(), before > 0, steps == before';
    expect((await runCell(kernel, more)).result).toBe('(True, True, True)');
  });

  it('accepts output from many threads', async () => {
    const code = `import sys, threading
def work(i):
    for _ in range(200): print("o", file=sys.stderr if i % 2 else sys.stdout)
all = [threading.Thread(target=work, args=(i,)) for i in range(6)]
for t in all: t.start()
for t in all: t.join()`;
    const { status, stdout, stderr } = await runCell(await start(), code);
    expect([status, stdout.replaceAll('\n', '').length, stderr.replaceAll('\n', '').length]).toEqual([
      'ok',
      600,
      600,
    ]);
  });

  it('imports modules from the folder with files, and installed ones', async () => {
    writeFileSync(join(kernels.workdir, 'own.py'), 'VALUE = 42\n');
    expect(
      (await runCell(await kernels.start('python', { policy: FILES }), 'import own; own.VALUE')).result,
    ).toBe('42');
    expect((await runCell(await start(), 'import own')).error?.ename).toBe('ModuleNotFoundError');
    expect(
      (
        await runCell(
          await start(),
          'import sys, site; all(p in sys.path for p in site.getsitepackages() if __import__("os").path.isdir(p))',
        )
      ).result,
    ).toBe('True');
  });

  it('reads dates and tables', async () => {
    const kernel = await start();
    await runCell(
      kernel,
      'import datetime\nd = {"on": datetime.date(2020, 1, 2), 3: True}\ns = {1}\nf = len\nbig = 10 ** 30',
    );
    expect(await kernel.read('d')).toEqual({ on: '2020-01-02', 3: true });
    expect(await kernel.read('s')).toBeUndefined();
    expect(await kernel.read('f')).toBeUndefined();
    expect(await kernel.read('big')).toBe(10n ** 30n);
  });

  it('carries large values both ways', async () => {
    const kernel = await start();
    const text = 'é'.repeat(3_000_000);
    await kernel.bind('text', text);
    expect((await runCell(kernel, 'len(text)')).result).toBe('3000000');
    expect(await kernel.read('text')).toBe(text);
  });
});
