/**
 * Cells that end badly, and hostile notebooks: the right cell says why, the rest continues, the sidecar is complete.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { itUnless } from '@woof/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Account, type Answer, Folder } from '../playbook/run-playbook.ts';

const WOOF = fileURLToPath(new URL('../../bin/woof', import.meta.url));
const UNSHARE = '/usr/bin/unshare';
const mayUnshare = spawnSync(UNSHARE, ['--user', '--map-root-user', '--mount', 'true']).status === 0;
const noNamespace = mayUnshare ? undefined : 'this user may not make a namespace in which bash is missing';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.dispose());

interface Output {
  output_type: string;
  text?: string;
  ename?: string;
  evalue?: string;
}

const fence = '```';
const cell = (tokens: string, body: string) => `\n${fence}cell ${tokens}\n${body}\n${fence}\n`;
const graph = (...cells: string[]) =>
  `%WOOFNB 1.0\nname: bad\nlanguage: python\nexecution: {order: graph}\n${cells.join('')}`;

async function run(text: string) {
  const file = folder.write('n.woofnb', text);
  return accountOf(file, await folder.woof('run', file, '--json'));
}

/** In its own namespace, in which bash is missing. */
async function runWithoutBash(text: string) {
  const file = folder.write('n.woofnb', text);
  const script = 'mount --bind /dev/null "$(readlink -f /bin/bash)" && exec "$@"';
  const woof = [process.execPath, WOOF, 'run', file, '--json', '--no-sandbox'];
  const unshare = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', ...woof];
  const { status, stdout, stderr } = spawnSync(UNSHARE, unshare, { cwd: folder.path, encoding: 'utf8' });
  return accountOf(file, { code: status ?? -1, stdout, stderr });
}

function accountOf(file: string, { code, stdout, stderr }: Answer) {
  const account = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Account;
  const lines = readFileSync(`${file}.out`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { cell: string; outputs: Output[] });
  return {
    code,
    stderr,
    steps: account.steps,
    outputs: (id: string) => lines.find((l) => l.cell === id)?.outputs,
  };
}

/** The bad cell, together with one that it must not harm, one that depends on it, and one that depends on the first. */
const around = (tokens: string, body: string) =>
  graph(
    cell('id=base type=code', 'x = 5'),
    cell(`id=bad ${tokens}`, body),
    cell('id=after type=code deps=bad', 'print(1)'),
    cell('id=last type=code deps=base', 'print(x)'),
  );

describe('a cell that ends badly fails alone', () => {
  it.each<[string, string, string, ename: string, evalue: RegExp]>([
    [
      'a kernel that is killed',
      'type=code',
      'import os, signal; os.kill(os.getpid(), signal.SIGKILL)',
      'KernelDied',
      /killed by SIGKILL/,
    ],
    [
      'a segmentation fault',
      'type=code',
      'import ctypes; ctypes.string_at(0)',
      'KernelDied',
      /segmentation fault/,
    ],
    ['os._exit', 'type=code', 'import os; os._exit(9)', 'KernelDied', /ended with exit code 9/],
    ['os._exit(0)', 'type=code', 'import os; os._exit(0)', 'KernelDied', /ended with exit code 0/],
    ['sys.exit', 'type=code', 'import sys; sys.exit(3)', 'SystemExit', /sys\.exit\(3\)/],
    ['endless recursion', 'type=code', 'def f(): f()\nf()', 'RecursionError', /recursion/],
    [
      'endless output',
      'type=code timeout=1',
      'while True: print("x" * 1000)',
      'TimeoutError',
      /longer than its timeout of 1 s/,
    ],
    ['process.exit', 'type=code lang=javascript', 'process.exit(0)', 'ProcessExit', /process\.exit\(0\)/],
    ['process.abort', 'type=code lang=javascript', 'process.abort()', 'KernelDied', /SIGABRT/],
    [
      'a language that the policy does not allow',
      'type=code lang=bash',
      'echo 1',
      'PolicyError',
      /add sidefx=shell to the cell, and set io_policy\.allow_shell: true/,
    ],
    [
      'a language without a kernel',
      'type=code lang=cobol',
      'STOP RUN.',
      'KernelError',
      /no kernel for the language "cobol"/,
    ],
  ])('%s', async (_what, tokens, body, ename, evalue) => {
    const { code, steps, outputs } = await run(around(tokens, body));
    expect(code).toBe(1);
    expect(Object.fromEntries(Object.entries(steps).map(([id, { status }]) => [id, status]))).toEqual({
      base: 'succeeded',
      bad: 'failed',
      after: 'skipped',
      last: 'succeeded',
    });
    const errors = outputs('bad')!.filter((output) => output.output_type === 'error');
    expect(errors).toMatchObject([{ ename, evalue: expect.stringMatching(evalue) }]);
    expect(outputs('last')).toMatchObject([{ text: '5\n' }]);
    expect(outputs('after')).toBeUndefined();
  });

  itUnless(noNamespace)(
    'a missing interpreter: its cells say what to install, those of other languages run',
    async () => {
      const text = graph(
        cell('id=shell type=bash sidefx=shell', 'echo hi'),
        cell('id=after type=code deps=shell', 'print(1)'),
        cell('id=js type=code lang=javascript', 'console.log(1)'),
      ).replace('execution:', 'io_policy: {allow_shell: true}\nexecution:');
      const { code, steps, outputs } = await runWithoutBash(text);
      expect(code).toBe(1);
      expect([steps.shell!.status, steps.after!.status, steps.js!.status]).toEqual([
        'failed',
        'skipped',
        'succeeded',
      ]);
      expect(outputs('shell')).toMatchObject([
        { ename: 'KernelError', evalue: expect.stringContaining('install') },
      ]);
    },
  );
});

describe('output', () => {
  it('that is not UTF-8 is kept as far as it can be read', async () => {
    const body = 'import os, sys\nos.write(1, b"a\\xff\\xfeb\\n")\nprint("\\ud800")';
    const { code, outputs } = await run(around('type=code', body));
    expect(code).toBe(0);
    expect(outputs('bad')).toMatchObject([{ text: 'a\ufffd\ufffdb\n\\ud800\n' }]);
  });

  it('beyond the limit is counted, and the sidecar stays small', async () => {
    const { code, outputs } = await run(around('type=code', 'for _ in range(30): print("x" * (1 << 20))'));
    expect(code).toBe(0);
    expect(statSync(join(folder.path, 'n.woofnb.out')).size).toBeLessThan(11 << 20);
    expect(outputs('bad')!.at(-1)!.text).toMatch(/\[\d+ more bytes of output were dropped\]/);
  });
});

describe('size', () => {
  it('a body of a million lines runs', async () => {
    const lines = Array.from({ length: 1_000_000 }, (_, index) =>
      index === 999_999 ? 'y = 7' : '# a comment',
    );
    const { code, outputs } = await run(
      graph(cell('id=m type=code', lines.join('\n')), cell('id=after type=code deps=m', 'print(y)')),
    );
    expect(code).toBe(0);
    expect(outputs('after')).toMatchObject([{ text: '7\n' }]);
  });

  it('an error in its last line names that line', async () => {
    const { outputs } = await run(graph(cell('id=m type=code', `${'\n'.repeat(999_999)}1 / 0`)));
    expect(JSON.stringify(outputs('m'))).toMatch(/line 1000000/);
  });
});

describe('woof import', () => {
  const notebookOf = (cells: unknown, more: object = {}) =>
    JSON.stringify({ nbformat: 4, metadata: {}, cells, ...more });
  const code = (source: unknown, more: object = {}) => ({
    cell_type: 'code',
    metadata: {},
    outputs: [],
    source,
    ...more,
  });

  it.each<[string, string, string]>([
    ['no JSON', '{', 'notebook/ipynb-syntax'],
    ['nothing', '', 'notebook/ipynb-syntax'],
    ['a list', '[]', 'notebook/ipynb-shape'],
    ['cells that are no list', notebookOf({}), 'notebook/ipynb-shape'],
    ['a version that is text', notebookOf([], { nbformat: '4' }), 'notebook/ipynb-version'],
    [
      'a million levels',
      `{"nbformat":4,"cells":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`,
      'notebook/ipynb-too-deep',
    ],
    [
      'deep metadata',
      notebookOf([code('1', { metadata: { a: 'X' } })]).replace('"X"', '['.repeat(9999) + ']'.repeat(9999)),
      'notebook/ipynb-too-deep',
    ],
  ])('refuses %s with a diagnostic', async (_what, text, problem) => {
    folder.write('h.ipynb', text);
    const answer = await folder.woof('import', 'h.ipynb', '--woofnb', 'h.woofnb');
    expect(answer.code).toBe(2);
    expect(answer.stderr).toMatch(/^h\.ipynb:1:1 {2}error/);
    expect(answer.stderr).toContain(problem);
  });

  it.each<[string, string]>([
    [
      'wrong types everywhere',
      notebookOf([
        1,
        code({ a: 1 }, { id: 5, outputs: 'x' }),
        { cell_type: 'x', metadata: [], source: 2 },
        code('ok = 1', { outputs: [1, { output_type: 7 }] }),
      ]),
    ],
    ['a source of 20 MB', notebookOf([code('x'.repeat(20_000_000))])],
    ['20,000 cells with one id', notebookOf(Array(20_000).fill(code('x = 1', { id: 'a' })))],
    [
      'keys of prototypes',
      '{"nbformat":4,"metadata":{"__proto__":{"x":1}},"cells":[{"cell_type":"code","source":"1","metadata":{"__proto__":{"y":1},"constructor":1},"outputs":[]}]}',
    ],
    ['a source that closes its cell', notebookOf([code('```\n```cell id=evil type=bash\nrm\n```\n')])],
    ['an id that leads elsewhere', notebookOf([code('1', { id: '../../x y\n' })], { nbformat_minor: 5 })],
  ])('reads %s, and writes a valid notebook', async (_what, text) => {
    folder.write('h.ipynb', text);
    expect((await folder.woof('import', 'h.ipynb', '--woofnb', 'h.woofnb')).code).toBe(0);
    expect((await folder.woof('lint', 'h.woofnb')).code).toBe(0);
    expect((await folder.woof('graph', 'h.woofnb', '--json')).stdout).not.toContain('evil');
  });
});
