/** What a program's environment can do to it: readers that leave, invalid directories, damaged files. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@woof/stores';
import { describe, expect, test } from 'vitest';
import { lastJson, playbook, root, runWoof, start, temporaryFolder } from './woof.ts';

const ok = playbook('- step: start\n  tool: {kind: noop, result: 1}\n');
const woofIn = (cwd: string, command: string) =>
  start('bash', ['-c', command], { cwd, env: { WOOF: `${process.execPath} ${join(root, 'bin', 'woof')}` } })
    .ended;

describe('the world', () => {
  test('a reader that leaves early is not an error', async () => {
    const many =
      '- step: start\n  loop: {in: "{{ range(2000) | list }}", iterator: i}\n  tool: {kind: noop, result: 1}\n';
    const cwd = temporaryFolder({ 'a.yaml': playbook(many) });
    await runWoof(['run', 'a.yaml'], { cwd });
    const { stdout, stderr } = await woofIn(cwd, 'set -o pipefail; $WOOF events last | head -1; echo "$?"');
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('0');
  });

  test('all of a long output arrives through a slow pipe', async () => {
    const text = playbook('- step: start\n  tool: {kind: noop, result: "{{ range(100000) | list }}"}\n');
    const cwd = temporaryFolder({ 'a.yaml': text });
    await runWoof(['run', 'a.yaml'], { cwd });
    const { stdout } = await woofIn(cwd, '$WOOF result last --load --json | (sleep 0.2; cat)');
    expect(JSON.parse(stdout)).toHaveLength(100_000);
  });

  test.each([
    ['a file in place of the directory', (cwd: string) => writeFileSync(join(cwd, 'data'), '')],
    [
      'a damaged log',
      (cwd: string) => {
        mkdirSync(join(cwd, 'data'));
        writeFileSync(join(cwd, 'data', 'woof.db'), 'junk');
      },
    ],
  ])('%s: a message, status 1, no stack', async (_what, prepare) => {
    const cwd = temporaryFolder({ 'a.yaml': ok });
    prepare(cwd);
    const { status, stderr } = await runWoof(['run', 'a.yaml', '--data', 'data'], { cwd });
    expect(status).toBe(1);
    expect(stderr).toContain('fix: ');
    expect(stderr).not.toMatch(/internal error|^\s+at /m);
  });

  test.each([
    ['text that is no JSON', '[["step.done"'],
    ['JSON that is no frame', '[null]'],
  ])('a damaged frame, %s: which run, which directory, status 1', async (_what, frame) => {
    const cwd = temporaryFolder({ 'a.yaml': ok });
    const { execution_id: id } = lastJson(await runWoof(['run', 'a.yaml', '--json'], { cwd }));
    const db = openDatabase(join(cwd, '.woof', 'woof.db'));
    db.exec(`UPDATE frames SET events = '${frame}' WHERE id = (SELECT max(id) FROM frames)`);
    db.exec('DELETE FROM snapshots');
    // As if its end had not been recorded.
    db.exec("UPDATE executions SET row = json_remove(row, '$.ended_at')");
    db.close();
    for (const verb of ['show', 'why', 'rerun', 'events', 'result', 'resume', 'cancel', 'pause']) {
      const { status, stderr } = await runWoof([verb, 'last'], { cwd });
      expect({ verb, status }).toEqual({ verb, status: 1 });
      expect(stderr, verb).toContain(`the log of run ${id} is damaged`);
      expect(stderr, verb).toContain(join(cwd, '.woof'));
      expect(stderr, verb).not.toMatch(/internal error|^\s+at /m);
    }
  });

  test('a damaged row: the list of runs is damaged', async () => {
    const cwd = temporaryFolder({ 'a.yaml': ok });
    await runWoof(['run', 'a.yaml'], { cwd });
    const db = openDatabase(join(cwd, '.woof', 'woof.db'));
    // Columns that are computed from the row would prevent writing it.
    for (const column of ['kind', 'name', 'wants']) db.exec(`ALTER TABLE executions DROP COLUMN ${column}`);
    db.exec("UPDATE executions SET row = '{'");
    db.close();
    for (const args of [['runs'], ['show', 'last']]) {
      const { status, stderr } = await runWoof(args, { cwd });
      expect(status).toBe(1);
      expect(stderr).toContain(`the list of runs in ${join(cwd, '.woof')} is damaged`);
    }
  });

  test('doctor sees a log that is not a database', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.woof'));
    const data = async () => {
      const ran = await runWoof(['doctor', '--json'], { cwd });
      const { findings } = lastJson<{ findings: { name: string; status: string; found: string }[] }>(ran);
      return { exit: ran.status, ...findings.find(({ name }) => name === 'Data') };
    };
    expect(await data()).toMatchObject({ exit: 0, status: 'ok' });
    writeFileSync(join(cwd, '.woof', 'woof.db'), 'junk '.repeat(1000));
    expect(await data()).toMatchObject({
      exit: 1,
      status: 'missing',
      found: expect.stringContaining('not a database'),
    });
  });

  test('an empty log has no runs', async () => {
    const cwd = temporaryFolder({ 'a.yaml': ok });
    mkdirSync(join(cwd, '.woof'));
    writeFileSync(join(cwd, '.woof', 'woof.db'), '');
    const { status, stderr } = await runWoof(['runs'], { cwd });
    expect({ status, none: stderr.includes('no runs here') }).toEqual({ status: 1, none: true });
    expect((await runWoof(['run', 'a.yaml'], { cwd })).status).toBe(0);
    expect((await runWoof(['runs'], { cwd })).status).toBe(0);
  });

  test('a directory that cannot be made does not hang', async () => {
    const cwd = temporaryFolder({ 'a.yaml': ok });
    expect((await runWoof(['run', 'a.yaml', '--data', '/proc/nowhere/data'], { cwd })).status).toBe(1);
  });

  test('input that is not text gets a diagnostic', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.yaml'), Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x80]));
    const ran = await runWoof(['lint', 'a.yaml', '--json'], { cwd });
    expect(ran.status).toBe(1);
    expect(lastJson<{ diagnostics: unknown[] }>(ran).diagnostics.length).toBeGreaterThan(0);
  });
});
