/** Notebooks through the real binary: order, state, data, outputs, failure, cache, policy, conversion. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { screenOf } from '../cli/screen.ts';
import { type Account, Folder } from '../playbook/run-playbook.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.dispose());

interface Line {
  cell: string;
  timestamp: string;
  cached?: boolean;
  outputs: {
    output_type: string;
    name?: string;
    text?: string;
    ename?: string;
    evalue?: string;
    data?: Record<string, unknown>;
  }[];
}

const fence = '```';
const cell = (tokens: string, body: string) => `\n${fence}cell ${tokens}\n${body}\n${fence}\n`;
const notebook = (header: string, ...cells: string[]) =>
  `%WOOFNB 1.0\nname: test\nlanguage: python\n${header}\n${cells.join('')}`;

async function run(
  text: string,
  ...args: string[]
): Promise<Account & { code: number; stderr: string; lines: Line[] }> {
  const file = folder.write('n.woofnb', text);
  const { code, stdout, stderr } = await folder.woof('run', file, '--json', ...args);
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (!last.startsWith('{')) throw new Error(`no account; exit ${code}\n${stdout}\n${stderr}`);
  return { ...(JSON.parse(last) as Account), code, stderr, lines: sidecar() };
}

function sidecar(): Line[] {
  const path = join(folder.path, 'n.woofnb.out');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const textOf = (lines: Line[], id: string) =>
  lines
    .findLast((line) => line.cell === id)
    ?.outputs.map((output) => output.text ?? '')
    .join('');
const statuses = ({ steps }: Account) =>
  Object.fromEntries(Object.entries(steps).map(([id, { status }]) => [id, status]));

describe('order and state', () => {
  it('graph: a dep that comes later in the file runs first', async () => {
    const ran = await run(
      notebook(
        'execution: {order: graph}',
        cell('id=b type=code deps=a', 'print(x + 1)'),
        cell('id=a type=code', 'x = 1'),
      ),
    );
    expect(ran.code).toBe(0);
    expect(ran.lines.map((line) => line.cell)).toEqual(['a', 'b']);
    expect(textOf(ran.lines, 'b')).toBe('2\n');
  });

  it('linear: the order of the file, one kernel per language', async () => {
    const ran = await run(
      notebook(
        '',
        cell('id=a type=code', 'x = 1'),
        cell('id=note type=md', '# not run'),
        cell('id=j type=code lang=javascript', 'const y = 2; y'),
        cell('id=b type=code', 'x += 1; x'),
        cell('id=k type=code lang=javascript', 'y * 10'),
      ),
    );
    expect(ran.lines.map((line) => line.cell)).toEqual(['a', 'j', 'b', 'k']);
    expect(ran.steps.b!.result).toBe('2');
    expect(ran.steps.k!.result).toBe('20');
    expect(Object.keys(ran.steps)).not.toContain('note');
  });

  it('data is bound by id and in woof, parameters too, and --set overrides', async () => {
    const text = notebook(
      'parameters: {n: 3, who: you}',
      cell('id=cfg type=data', '{"k": [1, 2]}'),
      cell('id=with-dash type=data', 'a: 1\nb: [x]'),
      cell(
        'id=c type=code',
        'print(cfg["k"], woof["cfg"] == cfg, woof["with-dash"], parameters, woof.parameters == parameters)',
      ),
      cell(
        'id=d type=code lang=javascript',
        'console.log(cfg.k.length, woof["with-dash"].b[0], parameters.n)',
      ),
    );
    const ran = await run(text, '--set', 'n=4');
    expect(textOf(ran.lines, 'c')).toBe("[1, 2] True {'a': 1, 'b': ['x']} {'n': 4, 'who': 'you'} True\n");
    expect(textOf(ran.lines, 'd')).toBe('2 x 4\n');
    expect(ran.steps.cfg!.result).toEqual({ k: [1, 2] });
  });

  it('aliases of one language share one kernel', async () => {
    const ran = await run(
      notebook(
        '',
        cell('id=a type=code lang=py', 'x = 1'),
        cell('id=b type=code lang=Python3', 'x += 1'),
        cell('id=c type=code', 'print(x)'),
        cell('id=d type=code lang=js', 'let y = 1'),
        cell('id=e type=code lang=javascript', 'y + 1'),
      ),
    );
    expect(textOf(ran.lines, 'c')).toBe('2\n');
    expect(ran.steps.e!.result).toBe('2');
  });

  it('a cell has its own memory limit, whatever other cells of its kernel have', async () => {
    const take = (mb: number) => `x = len(bytearray(${mb} << 20))`;
    const ran = await run(
      notebook(
        'execution: {order: graph}',
        cell('id=free type=code', take(400)),
        cell('id=large type=code memory_mb=600 deps=free', take(400)),
        cell('id=small type=code memory_mb=200 deps=large', take(100)),
        cell('id=greedy type=code memory_mb=200 deps=small', take(400)),
        cell('id=again type=code memory_mb=600 deps=small', take(400)),
      ),
    );
    const good = 'succeeded';
    expect(statuses(ran)).toEqual({ free: good, large: good, small: good, greedy: 'failed', again: good });
    expect(ran.steps.greedy!.error!.message).toMatch(/memory.*memory_mb=200/);
  });

  it('a cell with a smaller memory limit than its kernel already uses says so', async () => {
    const ran = await run(
      notebook(
        '',
        cell('id=a type=code memory_mb=600', 'x = bytearray(300 << 20)'),
        cell('id=b type=code memory_mb=100', 'print(len(x))'),
      ),
    );
    expect(statuses(ran)).toEqual({ a: 'succeeded', b: 'failed' });
    expect(ran.steps.b!.error!.message).toMatch(
      /left more in the memory of the kernel than the memory_mb=100.*isolated/,
    );
  });

  it('isolated cells share nothing', async () => {
    const ran = await run(
      notebook(
        '',
        cell('id=a type=code', 'x = 1'),
        cell('id=b type=code sidefx=isolated', "print('x' in globals())"),
        cell('id=c type=code', 'print(x)'),
      ),
    );
    expect(textOf(ran.lines, 'b')).toBe('False\n');
    expect(textOf(ran.lines, 'c')).toBe('1\n');
  });

  it('isolated cells depend only on data and on cells they name, and only cells that name them depend on them', async () => {
    const text = (isolated: string) =>
      notebook(
        'execution: {cache: content-hash}',
        cell('id=bad type=code', '1 / 0'),
        cell('id=rows type=data', '[1, 2]'),
        cell('id=alone type=code sidefx=isolated', isolated),
        cell('id=js type=code lang=javascript', 'console.log(rows.length)'),
        cell('id=named type=code lang=javascript deps=alone', 'console.log(alone.n)'),
        cell('id=last type=code sidefx=isolated deps=bad', 'print(1)'),
      );
    const ran = await run(text('n = len(rows)'));
    expect(statuses(ran)).toEqual({
      ...{ bad: 'failed', rows: 'succeeded', alone: 'succeeded' },
      ...{ js: 'succeeded', named: 'succeeded', last: 'skipped' },
    });
    expect(ran.lines.map((line) => line.cell)).toEqual(['bad', 'alone', 'js', 'named']);
    expect(textOf(ran.lines, 'named')).toBe('2\n');
    const failed = await run(text('1 / 0'));
    expect(statuses(failed)).toMatchObject({ alone: 'failed', js: 'succeeded', named: 'skipped' });
    expect(failed.lines.find((line) => line.cell === 'js')!.cached).toBe(true);
  });
});

describe('what a run shows', () => {
  const text = notebook(
    'execution: {cache: content-hash}',
    cell('id=d type=data', '[{"x": 1}]'),
    cell('id=a type=code', 'print("x\\ty", end="")\n{"a": d[0]["x"]}'),
    cell('id=f type=code', 'display({"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"}, raw=True)'),
    cell('id=v type=viz', '{"data": {"name": "d"}, "mark": "bar"}'),
    cell('id=last type=code', '["forty", "three"]'),
    cell('id=none type=code', 'pass'),
  );
  const values = [
    "  a | {'a': 1}\n",
    / {2}f \| figure → artifacts\/f\/woof-figure-1\.png\n/,
    '  v | figure → artifacts/v/chart.svg\n',
    "  last | ['forty', 'three']\n",
  ];

  it('values and figures of cells, also from the cache; with --quiet the last value', async () => {
    const file = folder.write('n.woofnb', text);
    const cold = await folder.woof('run', file);
    for (const value of values) expect(cold.stderr).toMatch(value);
    expect(cold.stderr).toContain('  a | x\ty\n');
    expect(cold.stdout).toBe("['forty', 'three']\n");
    const [figure] = /artifacts\/f\/woof-figure-1\.png/.exec(cold.stderr)!;
    expect(readFileSync(join(folder.path, figure)).toString('base64')).toBe('iVBORw0KGgo=');
    const warm = await folder.woof('run', file);
    expect(warm.stderr).toMatch(/✓ last .* cached/);
    for (const value of values) expect(warm.stderr).toMatch(value);
    expect(await folder.woof('run', file, '--quiet')).toEqual({
      code: 0,
      stdout: "['forty', 'three']\n",
      stderr: '',
    });
    await folder.woof('export', file, '--ipynb', 'n.ipynb');
    expect(readFileSync(join(folder.path, 'n.ipynb'), 'utf8')).toContain('"image/png": "iVBORw0KGgo="');
  });

  it('on a terminal too, and there the last value once', async () => {
    const file = folder.write('n.woofnb', text);
    const screen = await screenOf([`run ${file}`], 80, 24, folder.path);
    const seen = screen.lines.map((line) => line.text).join('\n');
    for (const value of values) expect(seen).toMatch(value);
    expect(seen.match(/forty/g)).toHaveLength(1);
  });
});

describe('failure', () => {
  const text = notebook(
    'execution: {order: graph, cache: content-hash}',
    cell('id=bad type=code', 'x = 1\n1 / 0'),
    cell('id=after type=code deps=bad', 'print(x)'),
    cell('id=free type=code', "print('free')"),
  );

  it('skips cells that depend on it, lets the rest continue, and exits with 1', async () => {
    const ran = await run(text);
    expect(ran.code).toBe(1);
    expect(statuses(ran)).toEqual({ bad: 'failed', after: 'skipped', free: 'succeeded' });
    const outputs = ran.lines.find((line) => line.cell === 'bad')!.outputs;
    expect(outputs).toHaveLength(1);
    const [error] = outputs;
    expect(error).toMatchObject({
      output_type: 'error',
      ename: 'ZeroDivisionError',
      evalue: 'division by zero',
    });
    expect(JSON.stringify(error)).toMatch(/line 2/);
  });

  it('is never cached', async () => {
    await run(text);
    const again = await run(text);
    expect(again.code).toBe(1);
    expect(again.lines.filter((line) => line.cell === 'bad').at(-1)!.cached).toBeUndefined();
    expect(again.lines.findLast((line) => line.cell === 'free')!.cached).toBe(true);
  });

  it('sys.exit, a killed kernel and a timeout fail their cell and nothing else', async () => {
    const ran = await run(
      notebook(
        'execution: {order: graph}',
        cell('id=base type=code', 'x = 5'),
        cell('id=exits type=code', 'import sys; sys.exit(3)'),
        cell('id=dies type=code', 'import os; os._exit(9)'),
        cell('id=slow type=code timeout=1', 'while True: pass'),
        cell('id=last type=code deps=base', 'print(x)'),
      ),
    );
    expect(ran.code).toBe(1);
    expect(statuses(ran)).toEqual({
      base: 'succeeded',
      exits: 'failed',
      dies: 'failed',
      slow: 'failed',
      last: 'succeeded',
    });
    expect(textOf(ran.lines, 'last')).toBe('5\n');
    expect(ran.steps.slow!.error).toMatchObject({ kind: 'timeout' });
  });

  it('retries what is transient, not what is wrong', async () => {
    const ran = await run(
      notebook(
        'execution: {order: graph}',
        cell(
          'id=flaky type=code retries=2',
          'import builtins\nn = globals().get("n", 0) + 1\nif n < 3: raise ConnectionError("busy")\nprint(n)',
        ),
        cell('id=wrong type=code retries=2', 'nope'),
      ),
    );
    expect(statuses(ran)).toEqual({ flaky: 'succeeded', wrong: 'failed' });
    const attempts = (await folder.events(ran.execution_id)).filter((event) => event.name === 'task.done');
    expect(attempts.filter((event) => event.step === 'flaky')).toHaveLength(3);
    expect(attempts.filter((event) => event.step === 'wrong')).toHaveLength(1);
  });
});

describe('cache', () => {
  const three = (last: string) =>
    notebook(
      'execution: {order: graph, cache: content-hash}',
      cell('id=a type=code', "x = [1]\nprint('a')"),
      cell('id=b type=code deps=a', "y = x + [2]\nprint('b')"),
      cell('id=c type=code deps=b', last),
    );
  const cachedCells = (lines: Line[]) => lines.filter((line) => line.cached).map((line) => line.cell);

  it('an unchanged notebook runs nothing; a changed leaf runs alone, with the state it depends on', async () => {
    await run(three('print(x, y)'));
    const warm = await run(three('print(x, y)'));
    expect(cachedCells(warm.lines).slice(-3)).toEqual(['a', 'b', 'c']);
    const edited = await run(three('print(y, x)'));
    expect(edited.lines.slice(-3).map((line) => [line.cell, line.cached ?? false])).toEqual([
      ['a', true],
      ['b', true],
      ['c', false],
    ]);
    expect(textOf(edited.lines, 'c')).toBe('[1, 2] [1]\n');
  });

  it('what a cell left is restored, not computed again', async () => {
    const text = (look: string) =>
      notebook(
        'execution: {cache: content-hash}',
        cell('id=a type=code', 'import time\nt = time.time_ns()'),
        cell('id=b type=code', look),
      );
    const first = textOf((await run(text('print(t)'))).lines, 'b');
    expect(textOf((await run(text('print(t) or None'))).lines, 'b')).toBe(first);
  });

  it('a folder that is gone with its kernel is made again', async () => {
    const text = (look: string) =>
      notebook(
        'execution: {cache: content-hash}',
        cell('id=a type=code', 'items = []'),
        cell('id=b type=code', 'import os\nitems.append(1)\nos.mkdir("/tmp/d")\nos.chdir("/tmp/d")'),
        cell('id=c type=code', look),
      );
    await run(text('1'));
    expect(textOf((await run(text('print(items, os.getcwd())'))).lines, 'c')).toBe('[1] /tmp/d\n');
  });

  it('a file that is gone with its kernel is made again', async () => {
    const text = (look: string) =>
      notebook(
        'execution: {cache: content-hash}',
        cell('id=a type=code', 'with open("/tmp/x", "w") as f: f.write("here")'),
        cell('id=b type=code', look),
      );
    await run(text('1'));
    expect(textOf((await run(text('print(open("/tmp/x").read())'))).lines, 'b')).toBe('here\n');
  });

  it('a cell with effects always runs; cells that depend on it stay cached while it leaves the same', async () => {
    const text = notebook(
      'execution: {order: graph, cache: content-hash}\nio_policy: {allow_files: true}',
      cell('id=load type=code sidefx=fs', "rows = open('rows.txt').read().split()"),
      cell('id=use type=code deps=load', 'print(len(rows))'),
    );
    folder.write('rows.txt', 'a b');
    await run(text);
    const same = await run(text);
    expect(same.lines.map((line) => [line.cell, line.cached ?? false])).toEqual([
      ['load', false],
      ['use', true],
    ]);
    folder.write('rows.txt', 'a b c');
    const changed = await run(text);
    expect(textOf(changed.lines, 'use')).toBe('3\n');
  });

  it('a cell that is now isolated, or depends on one that is, runs again', async () => {
    const text = (first: string, second: string) =>
      notebook(
        'execution: {order: graph, cache: content-hash}',
        cell(`id=a type=code${first}`, 'x = 1'),
        cell(`id=b type=code deps=a${second}`, "print('x' in globals())"),
      );
    expect(textOf((await run(text('', ''))).lines, 'b')).toBe('True\n');
    expect(textOf((await run(text('', ' sidefx=isolated'))).lines, 'b')).toBe('False\n');
    expect(textOf((await run(text(' sidefx=isolated', ''))).lines, 'b')).toBe('False\n');
  });

  it('woof why says which part of the key changed', async () => {
    const why = async () => (await folder.woof('why', 'n.woofnb', 'c')).stdout;
    await run(three('print(1)'));
    expect(await why()).toMatch(/from the cache/);
    folder.write('n.woofnb', three('print(2)'));
    expect(await why()).toMatch(/it would run: its text \(body\) changed since it last succeeded\n/);
  });

  it('parameters and --no-cache invalidate', async () => {
    await run(three('print(1)'));
    expect(cachedCells((await run(three('print(1)'), '--no-cache')).lines.slice(-3))).toEqual([]);
    expect(cachedCells((await run(three('print(1)'), '--set', 'q=1')).lines.slice(-3))).toEqual([]);
  });
});

describe('policy', () => {
  it('a cell that declares what is not allowed is refused; --allow grants it', async () => {
    const text = notebook('', cell('id=s type=bash', 'echo hi'), cell('id=p type=code', 'print(1)'));
    const refused = await folder.woof('run', folder.write('n.woofnb', text));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/cell "s" declares shell.*\n.*--allow shell/);
    expect(sidecar()).toEqual([]);
    const granted = await run(text, '--allow', 'shell');
    expect(granted.code).toBe(0);
    expect(textOf(granted.lines, 's')).toBe('hi\n');
    const body = 'for i in 1 2; do\n  echo $i\ndone';
    const crlf = notebook('', cell('id=s type=bash', body)).replaceAll('\n', '\r\n');
    expect(textOf((await run(crlf, '--allow', 'shell')).lines, 's')).toBe('1\n2\n');
  });

  it('--allow grants to the cells that declare it, and to no other', async () => {
    const read = "print(open('n.woofnb').read(7))";
    const ran = await run(
      notebook('', cell('id=a type=code sidefx=fs', read), cell('id=b type=code sidefx=isolated', read)),
      '--allow',
      'files',
    );
    expect(statuses(ran)).toEqual({ a: 'succeeded', b: 'failed' });
    expect(textOf(ran.lines, 'a')).toBe('%WOOFNB\n');
    expect(ran.steps.b!.error!.message).toMatch(/PolicyError: .*n\.woofnb.*add sidefx=fs to the cell$/);
  });

  it('a bash cell cannot use what only another cell declares; their state moves, their effects are not repeated', async () => {
    const listener = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const connect = `(exec 9<>/dev/tcp/127.0.0.1/${port}) && echo reached || echo held`;
    const ran = await run(
      notebook(
        'io_policy: {allow_network: true, allow_files: true, allow_shell: true}',
        cell('id=before type=bash', `n=1; echo once >> log; ${connect}`),
        cell('id=declares type=bash sidefx=net', `n=$((n + 1)); ${connect}`),
        cell('id=after type=bash', `echo $((n + 1)) $(wc -l < log); ${connect}`),
      ),
    );
    listener.close();
    expect(textOf(ran.lines, 'declares')).toBe('reached\n');
    for (const id of ['before', 'after']) {
      expect(textOf(ran.lines, id)).toMatch(/held\n/);
      expect(textOf(ran.lines, id)).toMatch(/network access is not allowed.*add sidefx=net to the cell\n/);
    }
    expect(textOf(ran.lines, 'after')).toMatch(/3 1\n/);
  });

  it('files need both the policy and the declaration', async () => {
    folder.write('secret.txt', 'canary');
    const read = "print(open('secret.txt').read())";
    const both = await run(
      notebook('io_policy: {allow_files: true}', cell('id=a type=code sidefx=fs', read)),
    );
    expect(textOf(both.lines, 'a')).toBe('canary\n');
    const undeclared = await run(notebook('io_policy: {allow_files: true}', cell('id=a type=code', read)));
    expect(undeclared.code).toBe(1);
    expect(JSON.stringify(undeclared.lines)).not.toContain('canary\\n');
    const denied = await run(notebook('', cell('id=a type=code', read)));
    expect(denied.code).toBe(1);
  });
});

describe('selection', () => {
  const text = notebook(
    'execution: {order: graph}',
    cell('id=a type=code', 'x = 1'),
    cell('id=b type=code deps=a', 'print(x)'),
    cell('id=off type=code disabled=true', '1 / 0'),
    cell('id=c type=code', "print('c')"),
    cell('id=t type=test deps=b', 'assert x == 1'),
  );

  it('--cell runs it and its dependencies; --no-deps only the cell', async () => {
    expect(statuses(await run(text, '--cell', 'b'))).toMatchObject({
      a: 'succeeded',
      b: 'succeeded',
      c: 'skipped',
      off: 'skipped',
    });
    const alone = await run(text, '--cell', 'b', '--no-deps');
    expect(alone.code).toBe(1);
    expect(statuses(alone)).toMatchObject({ a: 'skipped', b: 'failed' });
  });

  it('an unknown cell is a usage error that lists the known ones', async () => {
    const { code, stderr } = await folder.woof('run', folder.write('n.woofnb', text), '--cell', 'nosuch');
    expect(code).toBe(2);
    expect(stderr).toMatch(/nosuch.*\n.*a, b, /s);
  });

  it('woof test runs the tests and their dependencies', async () => {
    const { code, stdout } = await folder.woof(
      'test',
      folder.write('n.woofnb', text),
      '--junit',
      'report.xml',
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/1 passed, 0 failed, 0 skipped/);
    expect(sidecar().map((line) => line.cell)).toEqual(['a', 'b', 't']);
    expect(readFileSync(join(folder.path, 'report.xml'), 'utf8')).toMatch(/<testcase name="t"/);
  });
});

describe('resumption', () => {
  it('a run that was killed continues: the state of its kernel is restored, and finished cells are not recorded twice', async () => {
    const text = notebook(
      'execution: {order: graph}\nio_policy: {allow_files: true}',
      cell('id=a type=code', 'x = 41'),
      cell(
        'id=b type=code deps=a sidefx=fs',
        "import os, time\nwhile os.path.exists('hold'): time.sleep(0.02)\nx += 1",
      ),
      cell('id=c type=code deps=b', 'print(x)'),
    );
    const file = folder.write('n.woofnb', text);
    folder.write('hold', '');
    const { spawn } = await import('node:child_process');
    const { fileURLToPath } = await import('node:url');
    const bin = fileURLToPath(new URL('../../bin/woof', import.meta.url));
    const child = spawn(process.execPath, [bin, 'run', file], { cwd: folder.path, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    for (;;) {
      const { stdout } = await folder.woof('events', 'last', '--json');
      if (/"task.started".*"step":"b"/.test(stdout)) break;
    }
    child.kill('SIGKILL');
    await ended;
    const { rmSync } = await import('node:fs');
    rmSync(join(folder.path, 'hold'));
    const resumed = await folder.woof('resume', 'last', '--json');
    expect(resumed.code).toBe(0);
    expect(textOf(sidecar(), 'c')).toBe('42\n');
  });
});

describe('conversion', () => {
  it('a notebook and its outputs go to Jupyter and back', async () => {
    const text = notebook(
      'execution: {order: graph}',
      cell('id=a type=code timeout=5 tags=x', "print('hello')"),
      cell('id=m type=md', '# Title'),
    );
    await run(text);
    expect((await folder.woof('export', 'n.woofnb', '--ipynb', 'n.ipynb')).code).toBe(0);
    const ipynb = JSON.parse(readFileSync(join(folder.path, 'n.ipynb'), 'utf8'));
    expect(ipynb.nbformat).toBe(4);
    expect(ipynb.cells[0].outputs[0]).toMatchObject({ output_type: 'stream', name: 'stdout' });
    expect((await folder.woof('import', 'n.ipynb', '-o', 'back.woofnb')).code).toBe(0);
    const back = readFileSync(join(folder.path, 'back.woofnb'), 'utf8');
    expect(back).toContain("print('hello')");
    expect(back).toContain('timeout=5');
    expect(existsSync(join(folder.path, 'back.woofnb.out'))).toBe(true);
    expect((await folder.woof('lint', 'back.woofnb')).code).toBe(0);
    expect((await folder.woof('clean', 'n.woofnb')).code).toBe(0);
    expect(existsSync(join(folder.path, 'n.woofnb.out'))).toBe(false);
  });
});

describe('parameters', () => {
  const text = notebook(
    'parameters: {zip: "01234", n: 1}',
    cell('id=a type=code', 'print(repr(parameters["zip"]), parameters["n"])'),
  );

  it('--set keeps the type that the header gives', async () => {
    const ran = await run(text, '--set', 'zip=00777', '--set', 'n=5');
    expect(textOf(ran.lines, 'a')).toBe("'00777' 5\n");
  });

  it('a value of another type is a usage error', async () => {
    const { code, stderr } = await folder.woof('run', folder.write('n.woofnb', text), '--set', 'n=abc');
    expect(code).toBe(2);
    expect(stderr).toMatch(/expected a number/);
  });
});

describe('environment', () => {
  it('a version of Python other than env.python is reported', async () => {
    const asks = (version: string) => notebook(`env: {python: "${version}"}`, cell('id=a type=code', '1'));
    const other = await run(asks('3.1'));
    expect(other).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('warning: env.python is 3.1, '),
    });
    const [, own] = /in use is (\S+)/.exec(other.stderr)!;
    expect((await run(asks(own!))).stderr).not.toContain('warning');
  });

  it('a requirement that is not met is named before anything runs', async () => {
    const text = notebook(
      'env: {requirements: ["no-such-package-woof==1.0"]}',
      cell('id=a type=code', 'print(1)'),
    );
    const { code, stdout } = await folder.woof('run', folder.write('n.woofnb', text), '--json');
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.message).toContain('no-such-package-woof==1.0: it is not installed');
    expect(sidecar()).toEqual([]);
  });
});

describe('checks', () => {
  it('lint fails if a cell declares what io_policy does not allow', async () => {
    const file = folder.write('n.woofnb', notebook('', cell('id=s type=bash', 'echo hi')));
    const { code, stdout } = await folder.woof('lint', file, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout).diagnostics[0]).toMatchObject({
      code: 'notebook/policy-conflict',
      severity: 'error',
    });
  });

  it('fmt refuses duplicate ids; --fix renames the later one', async () => {
    const file = folder.write(
      'n.woofnb',
      notebook('', cell('id=a type=code', '1'), cell('id=a type=code', '2')),
    );
    expect((await folder.woof('fmt', file)).code).not.toBe(0);
    expect((await folder.woof('fmt', file, '--fix')).code).toBe(0);
    expect((await folder.woof('lint', file)).code).toBe(0);
    expect((await folder.woof('fmt', file, '--check')).code).toBe(0);
  });
});

describe('a file that cannot be read is not converted', () => {
  it.each([
    ['a newer major version', '%WOOFNB 2.0\nname: a\nlanguage: python\n', /version 2\.0/],
    ['a broken header', '%WOOFNB 1.0\nname: a\nlanguage: python\nparameters: {a: [1\n', /yaml/],
    ['ids twice', notebook('', cell('id=a type=code', '1')), /"a"/],
  ])('%s', async (_, head, message) => {
    const file = folder.write('n.woofnb', head + cell('id=a type=code', '1'));
    for (const flags of [['--ipynb', 'o.ipynb'], ['--py', 'o.py'], ['--json']]) {
      const { code, stderr, stdout } = await folder.woof('export', file, ...flags);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(message);
    }
    expect(existsSync(join(folder.path, 'o.ipynb'))).toBe(false);
  });
});
