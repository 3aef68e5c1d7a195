/** What Woof reports about a notebook that ran: which cells failed and where, what did not run, what was not needed. */
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { itUnless } from '@woof/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Folder } from '../playbook/run-playbook.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.dispose());

const fence = '```';
const cell = (tokens: string, body: string) => `\n${fence}cell ${tokens}\n${body}\n${fence}\n`;
const notebook = (header: string, ...cells: string[]) =>
  `%WOOFNB 1.0\nname: test\nlanguage: python\n${header}\n${cells.join('')}`;
const write = (text: string) => folder.write('n.woofnb', text);
const GRAPH = 'execution: {order: graph}';

describe('a failure', () => {
  it.each([
    ['Python', 'type=code', 'def f(x):\n    return int(x)\nf("a")', [9, 'f("a")'], [8, 'return int(x)']],
    [
      'JavaScript',
      'type=code lang=javascript',
      'function g() { throw 1 }\n\nnull.x',
      [9, 'null.x'],
      undefined,
    ],
  ] as const)('of %s is shown with the lines of the notebook', async (_what, tokens, body, first, second) => {
    write(notebook(GRAPH, cell(`id=bad ${tokens}`, body)));
    const places = [first, second].flatMap((place) => (place ? [`n.woofnb:${place[0]}  ${place[1]}`] : []));
    for (const args of [
      ['run', 'n.woofnb'],
      ['why', 'last'],
      ['show', 'last'],
    ]) {
      const { stdout, stderr } = await folder.woof(...args);
      expect(stdout + stderr).toContain('cell "bad": ');
      for (const place of places) expect(stdout + stderr).toContain(place);
    }
  });

  it('of several cells is reported for each, and skipped cells are counted', async () => {
    write(
      notebook(
        GRAPH,
        cell('id=a type=code', '1 / 0'),
        cell('id=b type=code', 'nosuch'),
        cell('id=c type=code deps=a', '1'),
        cell('id=d type=code deps=c', '1'),
      ),
    );
    const { stderr } = await folder.woof('run', 'n.woofnb');
    expect(stderr).toMatch(/failed in .*\n {2}cell "a": ZeroDivisionError[\s\S]*\n {2}cell "b": NameError/);
    expect(stderr).toContain('  skipped 2 cells: "c", "d"\n');
  });
});

describe('the log', () => {
  it('says why cells failed, with the lines of the document', async () => {
    write(
      notebook(
        GRAPH,
        cell('id=py type=code', 'def f():\n    raise ValueError("no")\nf()'),
        cell('id=js type=code lang=js', 'null.x'),
        cell('id=chart type=viz', '{"mark": "bar", "data": {"name": "nope"}}'),
      ),
    );
    await folder.woof('run', 'n.woofnb', '--quiet');
    const { stdout } = await folder.woof('logs', 'last');
    expect(stdout).toMatch(/^py \| {3}File "n\.woofnb", line \d+, in f\n.*raise.*\npy \| ValueError: no$/m);
    expect(stdout).toMatch(/^js \| TypeError: .*\njs \| {5}at n\.woofnb:\d+:/m);
    expect(stdout).toMatch(/^chart \| ChartError: no data "nope"/m);
    const line =
      readFileSync(join(folder.path, 'n.woofnb'), 'utf8').split('\n').indexOf('    raise ValueError("no")') +
      1;
    expect(stdout).toContain(`File "n.woofnb", line ${line}, in f`);
    expect((await folder.woof('why', 'last', 'js')).stdout).toMatch(/TypeError: .*\n +at n\.woofnb:\d+:/);
  });
});

describe('a machine whose Python is too old', () => {
  it.each(['none', 'content-hash'])('is reported on the cell, with the cache %s', async (cache) => {
    write(notebook(`execution: {cache: ${cache}}`, cell('id=a type=code', '1')));
    // Root uses only a Python that everybody may read.
    chmodSync(folder.path, 0o755);
    chmodSync(folder.write('python3', '#!/bin/sh\nprintf "%s\\n6\\n" "$0"\n'), 0o755);
    folder.env = { PATH: `${folder.path}:${process.env.PATH}` };
    const { code, stderr } = await folder.woof('run', 'n.woofnb');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/cell "a": \S+ is Python 3\.6; Woof needs 3\.9 or newer/),
    ]);
    expect(readFileSync(join(folder.path, 'n.woofnb.out'), 'utf8')).toContain('Woof needs 3.9 or newer');
  });
});

describe('the interpreter', () => {
  const PATH = process.env.PATH ?? '';

  it('that ran is in the log and in show, of every language', async () => {
    write(
      notebook('io_policy: {allow_shell: true}', cell('id=p type=code', '1'), cell('id=s type=bash', 'true')),
    );
    await folder.woof('run', 'n.woofnb', '--quiet');
    expect((await folder.woof('events', 'last', '--json')).stdout).toMatch(/"interpreter":"\/\S*python3/);
    const { stdout } = await folder.woof('show', 'last');
    expect(stdout).toMatch(/^ {2}with {2}\/\S*python3\S* {2}\(p\)\n {2}with {2}\/\S*bash {2}\(s\)$/m);
  });

  itUnless(process.getuid?.() === 0 ? undefined : 'the sandbox reads what its user may')(
    'is the python3 on the PATH; one that the sandbox cannot read is named, and what runs instead',
    async () => {
      const own = folder.write('python3', '#!/bin/sh\nexec /usr/bin/python3 "$@"\n');
      chmodSync(own, 0o755);
      folder.env = { PATH: `${folder.path}:${PATH}` };
      write(notebook('', cell('id=a type=code', '1'), cell('id=b type=code', '2')));
      chmodSync(folder.path, 0o700);
      const replaced = await folder.woof('run', 'n.woofnb');
      const note = new RegExp(
        `note: the python3 on the PATH is ${own}, .*cannot read, so Woof uses /\\S*python3\\S* instead`,
        'g',
      );
      expect(replaced.stderr.match(note)).toHaveLength(1);
      expect((await folder.woof('logs', 'last')).stdout).toMatch(note);
      chmodSync(folder.path, 0o755);
      expect((await folder.woof('run', 'n.woofnb')).stderr).not.toContain('note:');
    },
  );
});

describe('what did not run', () => {
  it('why says that it was not asked for, or is disabled', async () => {
    write(
      notebook(
        GRAPH,
        cell('id=t type=test', 'assert True'),
        cell('id=other type=code', '1'),
        cell('id=off type=code disabled=true', '1'),
      ),
    );
    expect((await folder.woof('test', 'n.woofnb')).code).toBe(0);
    const { stdout } = await folder.woof('why', 'last');
    expect(stdout).toMatch(/other\s+skipped: not selected/);
    expect(stdout).toMatch(/off\s+skipped: disabled/);
  });

  it('because of the policy, is refused before anything runs; a cell that is not requested is no obstacle', async () => {
    write(
      notebook(
        'io_policy: {allow_shell: false}',
        cell('id=p type=code', 'print(1)'),
        cell('id=s type=bash', 'echo hi'),
        cell('id=t type=test', 'assert True'),
      ),
    );
    const refused = await folder.woof('run', 'n.woofnb');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/n\.woofnb:10:19: cell "s" declares shell.*\n.*--allow shell/);
    expect((await folder.woof('runs')).stdout).not.toContain('n.woofnb');
    expect((await folder.woof('run', 'n.woofnb', '--cell', 'p')).code).toBe(0);
    const granted = await folder.woof('run', 'n.woofnb', '--allow', 'shell');
    expect(granted.code).toBe(0);
    expect(granted.stderr).not.toMatch(/error|warning|io_policy/);
  });
});

describe('the cache', () => {
  const text = (body: string) =>
    notebook('parameters: {city: Oslo}\nexecution: {cache: content-hash}', cell('id=a type=code', body));

  it('is named if a cell came from it', async () => {
    write(text('1'));
    expect((await folder.woof('run', 'n.woofnb')).stderr).not.toContain('cached');
    expect((await folder.woof('run', 'n.woofnb')).stderr).toMatch(/✓ a .*cached/);
  });

  it('why judges a run with the values and grants that it is given', async () => {
    write(text('1'));
    await folder.woof('run', 'n.woofnb', '--set', 'city=Rome', '--allow', 'files');
    const why = async (...args: string[]) => (await folder.woof('why', 'n.woofnb', 'a', ...args)).stdout;
    expect(await why('--set', 'city=Rome', '--allow', 'files')).toContain('from the cache');
    expect(await why('--set', 'city=Rome')).toContain(
      'what it may do (permissions) changed since it last succeeded',
    );
    expect(await why('--allow', 'files')).toContain(
      'a parameter (parameters) changed since it last succeeded',
    );
  });

  it('a misspelled parameter is reported as such', async () => {
    write(text('1'));
    const { stderr } = await folder.woof('run', 'n.woofnb', '--set', 'citty=Rome');
    expect(stderr).toContain('the header has no parameter "citty"; did you mean "city"?');
  });
});

describe('output', () => {
  it('that was dropped is reported in the log', async () => {
    write(notebook('', cell('id=a type=code', 'for _ in range(12): print("x" * (1 << 20))')));
    await folder.woof('run', 'n.woofnb', '--quiet');
    expect((await folder.woof('logs', 'last')).stdout).toMatch(/\d+ more bytes of output were dropped/);
  });
});

describe('a script', () => {
  it('has the parameters as the cells have them', async () => {
    write(
      notebook('parameters: {who: \'a "b" é\', n: 3}', cell('id=a type=code', 'print(parameters["who"])')),
    );
    expect((await folder.woof('export', 'n.woofnb', '--py', 'n.py')).code).toBe(0);
    const script = readFileSync(join(folder.path, 'n.py'), 'utf8');
    expect(script).toMatch(/import json[\s\S]*parameters = json\.loads\([\s\S]*print\(parameters/);
    const { execFileSync } = await import('node:child_process');
    expect(execFileSync('/usr/bin/python3', [join(folder.path, 'n.py')], { encoding: 'utf8' })).toBe(
      'a "b" é\n',
    );
  });
});
