/** The files beside a notebook after a run: complete, of this notebook only, and never outside its folder. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Folder } from '../playbook/run-playbook.ts';

let folder: Folder;
let outside: Folder;
beforeEach(() => {
  [folder, outside] = [new Folder(), new Folder()];
});
afterEach(() => {
  folder.dispose();
  outside.dispose();
});

const fence = '```';
const cell = (tokens: string, body: string) => `\n${fence}cell ${tokens}\n${body}\n${fence}\n`;
const notebook = (...cells: string[]) => `%WOOFNB 1.0\nname: test\nlanguage: python\n${cells.join('')}`;
const at = (...names: string[]) => join(folder.path, ...names);

async function run(text: string, name = 'n.woofnb') {
  const { code, stderr } = await folder.woof('run', folder.write(name, text));
  expect(code, stderr).toBe(0);
}

const big = (type: string, value: string, letter = 'x') =>
  `class Big:\n    def _repr_mimebundle_(self, **_):\n        return {'${type}': ${value}, 'text/plain': '${letter}'}\nBig()`;

const CHART = cell('id=v type=viz', '{"data": {"values": []}, "mark": "bar"}');

describe('links', () => {
  it('in the place of the outputs, and pipes, are replaced and not written through', async () => {
    const text = notebook(cell('id=a type=code', 'print(1)'));
    const victim = outside.write('victim', 'untouched');
    for (const put of [
      () => symlinkSync(victim, at('n.woofnb.out')),
      () => void execFileSync('/usr/bin/mkfifo', [at('n.woofnb.out')]),
    ]) {
      put();
      await run(text);
      expect(readFileSync(at('n.woofnb.out'), 'utf8')).toContain('"text":"1\\n"');
      expect(readFileSync(victim, 'utf8')).toBe('untouched');
      unlinkSync(at('n.woofnb.out'));
    }
  });

  it('named artifacts make no folder elsewhere', async () => {
    symlinkSync(outside.path, at('artifacts'));
    const answer = await folder.woof('run', folder.write('n.woofnb', notebook(CHART)));
    expect(answer.stderr).toContain('artifacts/v is a link that leads elsewhere');
    expect(readdirSync(outside.path)).toEqual([]);
  });

  it('named artifacts do not let clean remove what is elsewhere', async () => {
    folder.write('n.woofnb', notebook(CHART));
    mkdirSync(join(outside.path, 'v'));
    const victim = outside.write('v/chart.svg', 'not ours');
    symlinkSync(outside.path, at('artifacts'));
    expect((await folder.woof('clean', 'n.woofnb')).code).toBe(0);
    expect(existsSync(victim)).toBe(true);
    rmSync(at('artifacts', 'v'), { recursive: true });
    expect(existsSync(victim), 'whoever follows the link does remove it').toBe(false);
  });

  it('are not read into what is exported', async () => {
    await run(notebook(cell('id=a type=code', big('text/html', "'y' * 300_000"))));
    const [name] = readdirSync(at('artifacts', 'a'));
    unlinkSync(at('artifacts', 'a', name!));
    symlinkSync(outside.write('secret', 'a secret'), at('artifacts', 'a', name!));
    expect((await folder.woof('export', 'n.woofnb', '--ipynb', 'n.ipynb')).code).toBe(0);
    expect(readFileSync(at('n.ipynb'), 'utf8')).not.toContain('a secret');
  });
});

describe('large displays', () => {
  it.each([
    ['application/javascript', `'/* é */' + 'y' * 300_000`, `/* é */${'y'.repeat(300_000)}`],
    ['text/html', `'y' * 300_000`, 'y'.repeat(300_000)],
    ['image/png', `'eHl6' * 100_000`, 'eHl6'.repeat(100_000)],
  ])('of %s are stored in a file, and are complete in an export', async (type, code, value) => {
    await run(notebook(cell('id=a type=code', big(type, code))));
    const [name] = readdirSync(at('artifacts', 'a'));
    expect(readFileSync(at('artifacts', 'a', name!), type === 'image/png' ? 'base64' : 'utf8')).toBe(value);
    await folder.woof('export', 'n.woofnb', '--ipynb', 'n.ipynb');
    const ipynb = JSON.parse(readFileSync(at('n.ipynb'), 'utf8'));
    expect(ipynb.cells[0].outputs[0].data[type] === value).toBe(true);
  });

  it('of an earlier run are removed when the cell shows something else', async () => {
    for (const letter of ['y', 'z']) {
      await run(notebook(cell('id=a type=code', big('text/html', `'${letter}' * 300_000`))));
      expect(readdirSync(at('artifacts', 'a'))).toHaveLength(1);
    }
  });
});

describe('figures', () => {
  const show = (...bodies: string[]) =>
    bodies.map((body) => `display({'image/png': ${body}, 'text/plain': 'f'}, raw=True)`).join('\n');

  it('are files too, small or large; those of an earlier run are removed, and clean removes them', async () => {
    await run(notebook(cell('id=a type=code', show("'eHl6'", "'eHl6' * 4_000_000", "'YWJj'"))));
    const files = () => readdirSync(at('artifacts', 'a'));
    expect(files()).toEqual(['woof-figure-1.png', 'woof-figure-2.png', 'woof-figure-3.png']);
    expect(readFileSync(at('artifacts', 'a', 'woof-figure-1.png'), 'utf8')).toBe('xyz');
    expect(statSync(at('artifacts', 'a', 'woof-figure-2.png')).size).toBe(12_000_000);
    expect(readFileSync(at('n.woofnb.out'), 'utf8')).toContain('"image/png":"eHl6"');
    writeFileSync(at('artifacts', 'a', 'own.csv'), '');
    await run(notebook(cell('id=a type=code', show("'YWJj'"))));
    expect(files()).toEqual(['own.csv', 'woof-figure-1.png']);
    expect(readFileSync(at('artifacts', 'a', 'woof-figure-1.png'), 'utf8')).toBe('abc');
    await folder.woof('clean', 'n.woofnb');
    expect(files()).toEqual(['own.csv']);
  });

  it('do not touch files that the cell writes itself, whatever their number', async () => {
    const own = ['figure-1.png', '1.png', 'f.png'];
    const write = `for name in ${JSON.stringify(own)}: open('artifacts/a/' + name, 'w').write(name)`;
    const head = '%WOOFNB 1.0\nname: test\nlanguage: python\nio_policy: {allow_files: true}\n';
    const text = (body: string) => head + cell('id=a type=code sidefx=fs', `${write}\n${body}`);
    const contents = () =>
      Object.fromEntries(
        readdirSync(at('artifacts', 'a')).map((name) => [
          name,
          readFileSync(at('artifacts', 'a', name), 'utf8'),
        ]),
      );
    const kept = Object.fromEntries(own.map((name) => [name, name]));
    await run(text(show("'eHl6'", "'YWJj'")));
    expect(contents()).toEqual({ ...kept, 'woof-figure-1.png': 'xyz', 'woof-figure-2.png': 'abc' });
    await run(text('1'));
    expect(contents()).toEqual(kept);
  });
});

describe('the folder of a cell', () => {
  const text = (tokens: string) =>
    `%WOOFNB 1.0\nname: test\nlanguage: python\nio_policy: {allow_files: true}\n${cell(`id=idle type=code ${tokens}`, '1')}${cell(`id=a type=code ${tokens}`, "open('artifacts/a/x.csv', 'w').write('1')")}`;

  it('exists and is writable for a cell with files, and is removed if it stays empty', async () => {
    await run(text('sidefx=fs'));
    expect(readFileSync(at('artifacts', 'a', 'x.csv'), 'utf8')).toBe('1');
    expect(readdirSync(at('artifacts'))).toEqual(['a']);
  });

  it('does not exist for a cell without files, nor behind a link', async () => {
    expect((await folder.woof('run', folder.write('n.woofnb', text('')))).code).toBe(1);
    expect(existsSync(at('artifacts'))).toBe(false);
    symlinkSync(outside.path, at('artifacts'));
    expect((await folder.woof('run', folder.write('n.woofnb', text('sidefx=fs')))).code).toBe(1);
    expect(readdirSync(outside.path)).toEqual([]);
  });
});

describe('two notebooks in one folder', () => {
  it('clean removes what this one wrote, but not the other one or files that cells wrote themselves', async () => {
    await run(notebook(cell('id=a type=code', big('text/html', "'y' * 300_000"))), 'n.woofnb');
    const [mine] = readdirSync(at('artifacts', 'a'));
    await run(notebook(cell('id=a type=code', big('text/html', "'z' * 300_000"))), 'm.woofnb');
    writeFileSync(at('artifacts', 'a', 'own.csv'), '');
    expect(readdirSync(at('artifacts', 'a'))).toHaveLength(3);
    expect((await folder.woof('clean', 'n.woofnb')).code).toBe(0);
    expect(readdirSync(at('artifacts', 'a'))).not.toContain(mine);
    expect(readdirSync(at('artifacts', 'a'))).toHaveLength(2);
    unlinkSync(at('artifacts', 'a', 'own.csv'));
    expect((await folder.woof('clean', 'm.woofnb')).code).toBe(0);
    expect(existsSync(at('artifacts'))).toBe(false);
  });

  it('a sidecar that names what it did not write removes nothing', async () => {
    folder.write('n.woofnb', notebook(cell('id=a type=code', '1')));
    const victim = folder.write('keep.txt', '');
    const file = (path: string) => ({ output_type: 'display_data', data: { 'text/html': { file: path } } });
    const outputs = ['keep.txt', 'artifacts/a/../../keep.txt', victim].map(file);
    folder.write('n.woofnb.out', `${JSON.stringify({ cell: 'a', timestamp: '', outputs })}\n`);
    expect((await folder.woof('clean', 'n.woofnb')).code).toBe(0);
    expect(existsSync(victim)).toBe(true);
    expect(existsSync(at('n.woofnb.out'))).toBe(false);
  });
});

describe('a notebook that came from Jupyter', () => {
  it('keeps what the file had beside its cells over a run', async () => {
    const metadata = {
      kernelspec: { name: 'python3', display_name: 'Mine', language: 'python' },
      my: { own: 'x'.repeat(1_100_000) },
    };
    const text = { cell_type: 'markdown', id: 'm', metadata: { collapsed: true }, source: ['# T'] };
    const source = {
      nbformat: 4,
      nbformat_minor: 5,
      metadata,
      cells: [
        text,
        { cell_type: 'code', id: 'a', metadata: {}, source: ['1'], outputs: [], execution_count: 7 },
      ],
    };
    folder.write('j.ipynb', JSON.stringify(source));
    await folder.woof('import', 'j.ipynb', '--woofnb', 'n.woofnb');
    await run(readFileSync(at('n.woofnb'), 'utf8'));
    await folder.woof('export', 'n.woofnb', '--ipynb', 'back.ipynb');
    const back = JSON.parse(readFileSync(at('back.ipynb'), 'utf8')) as typeof source;
    expect(back.metadata).toEqual(metadata);
    expect(back.cells[0]).toEqual(text);
  });
});

it('on a full disk the outputs of a cell are written completely or not at all, and the others continue', async () => {
  const file = folder.write(
    'n.woofnb',
    notebook(
      cell('id=a type=code', 'print(1)'),
      cell('id=b type=code', 'for _ in range(20): display("x" * 200_000)'),
      cell('id=c type=code', 'print(3)'),
    ).replace('language', 'execution: {order: graph}\nlanguage'),
  );
  // Files that exceed the size limit are refused like those on a full disk.
  const full = `ulimit -f 2000; trap '' XFSZ; exec "$0" "$@"`;
  const woof = fileURLToPath(new URL('../../bin/woof', import.meta.url));
  const args = ['-c', full, process.execPath, woof, 'run', file, '--json', '--quiet'];
  const { status, stdout } = spawnSync('/bin/bash', args, { cwd: folder.path, encoding: 'utf8' });
  expect(status).toBe(1);
  const { steps } = JSON.parse(stdout) as { steps: Record<string, { status: string; error?: object }> };
  expect(steps).toMatchObject({ a: { status: 'succeeded' }, c: { status: 'succeeded' } });
  expect(steps.b).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining('cannot write n.woofnb.out (EFBIG)') },
  });
  const lines = readFileSync(`${file}.out`, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { cell: string }).cell)).toEqual(['a', 'c']);
});
