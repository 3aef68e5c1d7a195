import { chmodSync, existsSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lastJson, playbook, runWoof, temporaryFolder, textOf } from './woof.ts';

const good = playbook(
  '- step: start\n  tool: {kind: noop}\n  next: {arcs: [{step: end, when: "{{ true }}"}]}\n- step: end\n  tool: {kind: noop}\n',
);
const warned = playbook('- step: start\n  description: x\n  tool: {kind: noop}\n');
const bad = playbook('- step: start\n  tool: {kind: htp}\n');
const files = { 'good.yaml': good, 'warned.yaml': warned, 'bad.yaml': bad, 'broken.yaml': 'a: [\n' };

async function woof(...args: string[]) {
  const cwd = temporaryFolder(files);
  return { cwd, ...(await runWoof(args, { cwd })) };
}

describe('woof lint', () => {
  test('a clean file: status 0', async () => {
    expect(await woof('lint', 'good.yaml')).toMatchObject({
      status: 0,
      stdout: 'good.yaml: 0 errors, 0 warnings\n',
      stderr: '',
    });
  });

  test('warnings alone: status 0', async () => {
    expect(await woof('lint', 'warned.yaml')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('warning'),
    });
  });

  test('errors: a code frame, status 1', async () => {
    const { status, stderr } = await woof('lint', 'bad.yaml');
    expect(status).toBe(1);
    expect(stderr).toMatch(/bad\.yaml:6:\d+ {2}error {2}playbook\/unknown-kind\n.*\n.*\^\^\^/);
  });

  test('--json', async () => {
    const ran = await woof('lint', 'good.yaml', 'bad.yaml', '--json');
    expect(ran.status).toBe(1);
    expect(lastJson(ran)).toEqual({
      diagnostics: [
        expect.objectContaining({
          code: 'playbook/unknown-kind',
          severity: 'error',
          line: 6,
          column: expect.any(Number),
          file: 'bad.yaml',
        }),
      ],
    });
  });

  test('broken YAML is an error; a missing file is status 2', async () => {
    expect((await woof('lint', 'broken.yaml')).status).toBe(1);
    expect((await woof('lint', 'nowhere.yaml')).status).toBe(2);
  });
});

describe('woof fmt', () => {
  test('formats in place, keeps the mode, is stable', async () => {
    const cwd = temporaryFolder({ 'a.yaml': `${good}\n\n\n` });
    chmodSync(join(cwd, 'a.yaml'), 0o755);
    expect(await runWoof(['fmt', 'a.yaml', '--check'], { cwd })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('a.yaml would change'),
    });
    expect(textOf(cwd, 'a.yaml')).toBe(`${good}\n\n\n`);
    expect((await runWoof(['fmt', 'a.yaml'], { cwd })).status).toBe(0);
    expect(statSync(join(cwd, 'a.yaml')).mode & 0o777).toBe(0o755);
    expect(await runWoof(['fmt', 'a.yaml', '--check'], { cwd })).toMatchObject({ status: 0, stderr: '' });
  });

  test('--stdout changes nothing', async () => {
    const cwd = temporaryFolder({ 'a.yaml': `${good}\n\n\n` });
    const { status, stdout } = await runWoof(['fmt', 'a.yaml', '--stdout'], { cwd });
    expect(status).toBe(0);
    expect(stdout).toContain('kind: Playbook');
    expect(textOf(cwd, 'a.yaml')).toBe(`${good}\n\n\n`);
  });

  test('broken YAML stays as it is: status 2', async () => {
    const { status, cwd } = await woof('fmt', 'broken.yaml');
    expect(status).toBe(2);
    expect(textOf(cwd, 'broken.yaml')).toBe('a: [\n');
  });
});

describe('--json of verbs that write documents', () => {
  test('woof fmt: whether each file changed, and what is wrong with it', async () => {
    const cwd = temporaryFolder({ ...files, 'long.yaml': `${good}\n\n\n` });
    await runWoof(['fmt', 'good.yaml'], { cwd });
    const ran = await runWoof(['fmt', 'good.yaml', 'long.yaml', 'broken.yaml', '--json'], { cwd });
    expect(ran).toMatchObject({ status: 2, stderr: '' });
    expect(lastJson(ran)).toMatchObject([
      { file: 'good.yaml', changed: false, diagnostics: [] },
      { file: 'long.yaml', changed: true, diagnostics: [] },
      { file: 'broken.yaml', changed: false, diagnostics: [{ severity: 'error' }] },
    ]);
    expect(textOf(cwd, 'long.yaml')).toBe(textOf(cwd, 'good.yaml'));
  });

  test('woof import and woof clean: the files that they wrote and removed', async () => {
    const stream = { output_type: 'stream', name: 'stdout', text: '1\n' };
    const cell = {
      cell_type: 'code',
      source: 'print(1)',
      metadata: {},
      execution_count: 1,
      outputs: [stream],
    };
    const ipynb = { nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] };
    const cwd = temporaryFolder({ 'a.ipynb': JSON.stringify(ipynb) });
    const saved = new Date('2024-02-29T10:11:12.000Z');
    utimesSync(join(cwd, 'a.ipynb'), saved, saved);
    const imported = await runWoof(['import', 'a.ipynb', '-o', 'a.woofnb', '--json'], { cwd });
    expect(lastJson(imported)).toMatchObject({ file: 'a.woofnb', outputs: 'a.woofnb.out' });
    expect(JSON.parse(textOf(cwd, 'a.woofnb.out'))).toMatchObject({ timestamp: saved.toISOString() });
    const again = await runWoof(['import', 'a.woofnb'], { cwd });
    expect(again).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/a\.woofnb is already a Woof notebook.*\n.*woof run a\.woofnb/),
    });
    const cleaned = await runWoof(['clean', '--json'], { cwd });
    expect(lastJson(cleaned)).toEqual({ cleaned: ['a.woofnb'], removed: [] });
    expect(existsSync(join(cwd, 'a.woofnb.out'))).toBe(false);
  });
});

describe('woof graph', () => {
  test('--json', async () => {
    expect(lastJson(await woof('graph', 'good.yaml', '--json'))).toEqual({
      nodes: [
        { id: 'start', type: 'noop' },
        { id: 'end', type: 'noop' },
      ],
      edges: [{ from: 'start', to: 'end', label: 'true' }],
      order: ['start', 'end'],
    });
  });

  test.each([
    [[], '┌'],
    [['--mermaid'], 'flowchart'],
    [['--dot'], 'digraph'],
  ])('%j', async (flags, said) => {
    expect(await woof('graph', 'good.yaml', ...flags)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(said),
    });
  });

  test('an invalid document: status 2', async () => {
    expect(await woof('graph', 'bad.yaml')).toMatchObject({ status: 2, stdout: '' });
  });
});

describe('woof init', () => {
  test('creates valid, formatted documents that run at once, and changes no existing file', async () => {
    const cwd = temporaryFolder({ '.gitignore': 'mine\n' });
    const woof = (...args: string[]) => runWoof(args, { cwd });
    interface Made {
      created: string[];
      kept: string[];
      next: string[];
      add_to_gitignore: string[];
    }
    const made = lastJson<Made>(await woof('init', '--json'));
    expect(made.kept).toEqual(['.gitignore']);
    expect(made.add_to_gitignore).toEqual(['.woof/', '*.woofnb.out', 'artifacts/']);
    expect(textOf(cwd, '.gitignore')).toBe('mine\n');
    const documents = made.created.filter((name) => name !== 'AGENTS.md');
    expect(await woof('lint', ...documents)).toMatchObject({ status: 0 });
    expect(await woof('fmt', '--check', ...documents)).toMatchObject({ status: 0 });
    for (const name of documents)
      expect([name, lastJson(await woof('run', name, '--json')).status]).toEqual([name, 'succeeded']);
    expect(made.next).toEqual(documents.map((name) => `woof run ${name}`));
    writeFileSync(join(cwd, '.gitignore'), '.woof\nartifacts  \n');
    const again = await woof('init', '.');
    expect(again).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('add to .gitignore: *.woofnb.out\n'),
    });
    expect(again.stderr).not.toContain('created');
    expect(again.stderr).toContain('kept     hello.yaml (already exists)');
    expect(again.stderr).toContain('next:\n  woof run hello.yaml\n');
  });

  test('follows no link, and refuses a file in place of a folder', async () => {
    const cwd = temporaryFolder({ file: '' });
    symlinkSync(join(cwd, 'elsewhere'), join(cwd, 'AGENTS.md'));
    expect((await runWoof(['init'], { cwd })).stderr).toContain('kept     AGENTS.md');
    expect((await runWoof(['init', '--', '-x'], { cwd })).stderr).toContain('  cd ./-x\n');
    expect(existsSync(join(cwd, 'elsewhere'))).toBe(false);
    expect(await runWoof(['init', 'file'], { cwd })).toMatchObject({ status: 2 });
  });
});
