/** The format as a user sees it: versions, extensions, what is kept, lint, fmt, and conversion out and back. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Folder } from '../playbook/run-playbook.ts';

let folder: Folder;
beforeEach(() => {
  folder = new Folder();
});
afterEach(() => folder.dispose());

const F = '```';
const HEAD = '%WOOFNB 1.0\nname: n\nlanguage: python\n';
const cell = (tokens: string, body = '1') => `\n${F}cell ${tokens}\n${body}\n${F}\n`;
const read = (name: string) => readFileSync(join(folder.path, name), 'utf8');
const json = <T>(name: string) => JSON.parse(read(name)) as T;

async function lint(text: string): Promise<{ code: number; found: string[] }> {
  const { code, stdout } = await folder.woof('lint', folder.write('n.woofnb', text), '--json');
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; severity: string }[] };
  return { code, found: diagnostics.map((each) => `${each.severity} ${each.code}`) };
}

describe('versions and extensions', () => {
  const text = (version: string) =>
    `%WOOFNB ${version}\nname: n\nlanguage: python\n${cell('id=a type=test')}`;

  it('a newer minor version is read with a note, also as .wnb, whose outputs are in .wnb.out', async () => {
    const file = folder.write('n.wnb', text('1.7'));
    const { code, stderr } = await folder.woof('run', file);
    expect(code).toBe(0);
    expect(stderr).toMatch(/version 1\.7 is newer than 1\.0/);
    expect(existsSync(`${file}.out`)).toBe(true);
    expect((await folder.woof('fmt', file)).code).toBe(0);
    expect(read('n.wnb')).toMatch(/^%WOOFNB 1\.7\n/);
  });

  it.each(['run', 'test', 'fmt', 'graph', 'export'])(
    'a newer major version is refused by %s',
    async (verb) => {
      const file = folder.write('n.woofnb', text('2.0'));
      const { code, stderr } = await folder.woof(verb, file, ...(verb === 'export' ? ['--json'] : []));
      expect(code).toBe(2);
      expect(stderr).toMatch(/version 2\.0 of the format/);
    },
  );
});

describe('lint', () => {
  it.each([
    [
      'no name and language',
      `%WOOFNB 1.0\nversion: "1"\n${cell('id=a type=code')}`,
      'missing-key',
      'missing-key',
    ],
    ['a bad id', HEAD + cell('id=a$b type=code'), 'bad-id'],
    ['an unknown type', HEAD + cell('id=a type=cod'), 'unknown-type'],
    ['negative retries', HEAD + cell('id=a type=code retries=-1'), 'bad-value'],
    ['an effect that is not allowed', HEAD + cell('id=a type=code sidefx=net'), 'policy-conflict'],
    ['bash without shell', HEAD + cell('id=a type=bash'), 'policy-conflict'],
    ['an id twice', HEAD + cell('id=a type=code') + cell('id=a type=md'), 'duplicate-id'],
    [
      'a dep that is not there',
      `${HEAD}execution: {order: graph}\n${cell('id=a type=code deps=z')}`,
      'unknown-dep',
    ],
    [
      'a cycle',
      `${HEAD}execution: {order: graph}\n${cell('id=a type=code deps=b')}${cell('id=b type=code deps=a')}`,
      'cycle',
    ],
    ['an order that is none', `${HEAD}execution: {order: grph}\n${cell('id=a type=code')}`, 'not-one-of'],
    ['data that is none', HEAD + cell('id=a type=data', '{a: ['), 'bad-data'],
    ['no magic line', `name: n\nlanguage: python\n${cell('id=a type=code')}`, 'missing-magic'],
  ])('fails on %s', async (_, text, ...codes) => {
    expect(await lint(text)).toEqual({ code: 1, found: codes.map((code) => `error notebook/${code}`) });
  });

  it('passes what is right: a token after empty deps, unknown keys, a longer fence', async () => {
    const long = `\n${F}\`cell id=m type=md\n${F}\nx\n${F}\n${F}\`\n`;
    expect(await lint(`${HEAD}x-own: 1\nlater: 2\n${cell('id=a type=code deps= timeout=3')}${long}`)).toEqual(
      {
        code: 0,
        found: [],
      },
    );
  });

  it("the specification's own example, with its stray fence, is a warning that fmt fixes", async () => {
    const text = `${HEAD}execution:\n  order: graph\n${F}\n${cell('id=a type=data', '[1]')}`;
    expect(await lint(text)).toEqual({ code: 0, found: ['warning notebook/stray-fence'] });
    const file = join(folder.path, 'n.woofnb');
    expect((await folder.woof('fmt', '--check', file)).code).toBe(1);
    expect(read('n.woofnb')).toBe(text);
    await folder.woof('fmt', file);
    expect((await folder.woof('fmt', '--check', file)).code).toBe(0);
    expect(await lint(read('n.woofnb'))).toEqual({ code: 0, found: [] });
  });
});

const FULL = `%WOOFNB 1.0
language: python # why python
name: full
x-team: {a: [1, 2]}
unknown_key: 1
tags: [a, "b c"]
provenance: {created_by: Ada, created_at: "2024-01-01", agent: none, source_repo: r, commit: abc}
metadata: {k: v}
parameters: {n: 3}
io_policy: {allow_files: true}
${cell('type=data id=d x-note="a b" tags=p,q', '[1, 2, 3]')}
text between
${cell('id=c type=code deps=d name="my \\"cell\\"" timeout=5 sidefx=fs retries=1 priority=2', 'print("sum", sum(d) * 3)\n42')}
${F}\`cell id=m type=md
${F}
x
${F}
${F}\`
${cell('id=t type=test', 'assert d')}${cell('id=r type=raw', 'raw <b>')}${cell('id=off type=bash disabled=true', 'ls')}`;

describe('what is kept', () => {
  it('fmt keeps every key, token, comment and text between cells', async () => {
    const file = folder.write('n.woofnb', FULL);
    const before = (await folder.woof('export', file, '--json')).stdout;
    expect((await folder.woof('fmt', file)).code).toBe(0);
    const after = (await folder.woof('export', file, '--json')).stdout;
    expect(JSON.parse(after)).toEqual(JSON.parse(before));
    for (const text of ['# why python', 'text between', 'x-team: {a: [1, 2]}', 'x-note="a b"']) {
      expect(read('n.woofnb')).toContain(text);
    }
    expect(read('n.woofnb')).toMatch(/^%WOOFNB 1\.0\nname: full\nlanguage: python/);
  });

  it('export --json is the form of §9, with typed tokens', async () => {
    const { stdout } = await folder.woof('export', folder.write('n.woofnb', FULL), '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      file: 'WOOFNB',
      version: '1.0',
      header: { name: 'full', 'x-team': { a: [1, 2] }, unknown_key: 1, provenance: { commit: 'abc' } },
      cells: [
        { id: 'd', type: 'data', tags: ['p', 'q'], 'x-note': 'a b', body: '[1, 2, 3]' },
        { id: 'c', deps: ['d'], name: 'my "cell"', timeout: 5, sidefx: 'fs', retries: 1, priority: 2 },
        { id: 'm', body: '```\nx\n```' },
        { id: 't' },
        { id: 'r', type: 'raw', body: 'raw <b>' },
        { id: 'off', type: 'bash', disabled: true },
      ],
    });
  });

  it('export --py is a script that runs', async () => {
    await folder.woof('export', folder.write('n.woofnb', FULL), '--py', 'n.py');
    expect(execFileSync('python3', [join(folder.path, 'n.py')], { encoding: 'utf8' })).toBe('sum 18\n');
  });

  it('a notebook goes to Jupyter and back with everything, outputs too', async () => {
    const file = folder.write('n.woofnb', FULL);
    expect((await folder.woof('run', file)).code).toBe(0);
    await folder.woof('export', file, '--ipynb', 'n.ipynb');
    await folder.woof('import', 'n.ipynb', '--woofnb', 'back.woofnb');
    expect(read('back.woofnb')).toBe(FULL);
    const outputs = (name: string) =>
      read(name)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { cell: string; outputs: unknown })
        .map(({ cell: id, outputs: made }) => [id, made]);
    expect(outputs('back.woofnb.out').filter(([id]) => id === 'c')).toEqual(
      outputs('n.woofnb.out').filter(([id]) => id === 'c'),
    );
  });
});

interface Ipynb {
  cells: Record<string, unknown>[];
  metadata: unknown;
}

describe('notebooks of Jupyter', () => {
  const cells = [
    {
      cell_type: 'markdown',
      id: 'md1',
      metadata: { collapsed: true, tags: ['t'] },
      attachments: { 'i.png': { 'image/png': 'iVBORw0KGgo=' } },
      source: ['# T\n', '![](attachment:i.png)\n', '```\n', 'x\n', '```'],
    },
    { cell_type: 'raw', id: 'raw1', metadata: { format: 'text/latex' }, source: ['\\alpha'] },
    {
      cell_type: 'code',
      execution_count: 7,
      id: 'c1',
      metadata: { scrolled: false },
      outputs: [
        { output_type: 'stream', name: 'stdout', text: ['a\n', 'b\n'] },
        {
          output_type: 'execute_result',
          execution_count: 7,
          data: { 'text/plain': ['1'], 'application/json': { a: 1 }, 'image/png': 'iVBORw0KGgo=\n' },
          metadata: { 'image/png': { width: 3 } },
        },
        { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['t1', 't2'] },
      ],
      source: ['print(1)\n', '%time x\n'],
    },
    { cell_type: 'code', execution_count: null, id: 'c2', metadata: {}, outputs: [], source: [] },
  ];
  const metadata = {
    kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
    language_info: { name: 'python', version: '3.11' },
    custom: { x: [1] },
  };

  it('come back unchanged: attachments, raw cells, metadata, outputs', async () => {
    folder.write('in.ipynb', JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }));
    expect((await folder.woof('import', 'in.ipynb', '-o', 'n.wnb')).code).toBe(0);
    expect(read('n.wnb')).not.toMatch(/collapsed|scrolled/);
    expect((await folder.woof('lint', 'n.wnb')).code).toBe(0);
    expect((await folder.woof('export', 'n.wnb', '-o', 'out.ipynb')).code).toBe(0);
    const out = json<Ipynb>('out.ipynb');
    expect(out.cells).toEqual(cells);
    expect(out).toMatchObject({ metadata, nbformat: 4, nbformat_minor: 5 });
  });

  it('are not replaced by an export, except with --force', async () => {
    folder.write('n.woofnb', FULL);
    folder.write('out.ipynb', 'mine');
    const refused = await folder.woof('export', 'n.woofnb', '-o', 'out.ipynb');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('out.ipynb already exists') });
    expect(refused.stderr).toContain('--force');
    expect(read('out.ipynb')).toBe('mine');
    expect((await folder.woof('export', 'n.woofnb', '-o', 'out.ipynb', '--force')).code).toBe(0);
    expect(json<Ipynb>('out.ipynb').cells).not.toEqual([]);
  });

  it('are written with --json too, which lists them, and only in a format that is known', async () => {
    folder.write('n.woofnb', FULL);
    const done = await folder.woof(
      'export',
      'n.woofnb',
      '--ipynb',
      'json.ipynb',
      '--py',
      'json.py',
      '--json',
    );
    expect(JSON.parse(done.stdout)).toEqual({ files: ['json.ipynb', 'json.py'] });
    expect(json<Ipynb>('json.ipynb').cells).not.toEqual([]);
    const refused = await folder.woof('export', 'n.woofnb', '-o', 'n.txt', '--json');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('.ipynb or .py') });
    const twice = await folder.woof('export', 'n.woofnb', '-o', 'one.ipynb', '--ipynb', 'two.ipynb');
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('--output cannot be combined') });
    const same = await folder.woof('export', 'n.woofnb', '--ipynb', 'same', '--py', './same', '--json');
    expect(same).toMatchObject({ code: 2, stderr: expect.stringContaining('both name ./same') });
  });

  it.each(['n.woofnb', 'n.woofnb.out'])('do not replace %s, except with --force', async (name) => {
    folder.write('in.ipynb', JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }));
    folder.write(name, 'mine');
    const refused = await folder.woof('import', 'in.ipynb', '--woofnb', 'n.woofnb');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`${name} already exists`) });
    expect(refused.stderr).toContain('--force');
    expect(read(name)).toBe('mine');
    expect((await folder.woof('import', 'in.ipynb', '--woofnb', 'n.woofnb', '--force')).code).toBe(0);
    expect(read(name)).not.toBe('mine');
  });

  it('of version 3 become cells of the current version', async () => {
    const code = {
      cell_type: 'code',
      collapsed: false,
      input: ['print 1'],
      language: 'python',
      metadata: {},
      prompt_number: 3,
      outputs: [
        { output_type: 'stream', stream: 'stdout', text: ['1\n'] },
        { output_type: 'pyout', prompt_number: 3, text: ['2'], html: ['<i>'] },
        { output_type: 'pyerr', ename: 'E', evalue: 'v', traceback: ['t'] },
      ],
    };
    const heading = { cell_type: 'heading', level: 2, metadata: {}, source: ['Head'] };
    const old = {
      metadata: { name: 'old' },
      nbformat: 3,
      nbformat_minor: 0,
      worksheets: [{ cells: [heading, code] }],
    };
    folder.write('v3.ipynb', JSON.stringify(old));
    const unnamed = await folder.woof('import', 'v3.ipynb');
    expect(unnamed).toMatchObject({ code: 2, stdout: '' });
    expect(unnamed.stderr).toContain('fix: woof import v3.ipynb --woofnb v3.woofnb');
    await folder.woof('import', 'v3.ipynb', '--woofnb', 'n.woofnb');
    await folder.woof('export', 'n.woofnb', '--ipynb', 'out.ipynb');
    expect(json<Ipynb>('out.ipynb').cells).toMatchObject([
      { cell_type: 'markdown', source: ['## Head'] },
      {
        cell_type: 'code',
        execution_count: 3,
        source: ['print 1'],
        outputs: [
          { output_type: 'stream', name: 'stdout' },
          { output_type: 'execute_result', data: { 'text/plain': ['2'], 'text/html': ['<i>'] } },
          { output_type: 'error', ename: 'E' },
        ],
      },
    ]);
  });
});
