/** What the world does to a program: readers that leave, directories that are none, files that are damaged. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lastJson, playbook, root, runWoof, start, temporaryFolder } from './woof.ts';

const ok = playbook('- step: start\n  tool: {kind: noop, result: 1}\n');
const woofIn = (cwd: string, command: string) =>
  start('bash', ['-c', command], { cwd, env: { WOOF: `${process.execPath} ${join(root, 'bin', 'woof')}` } })
    .ended;

describe('the world', () => {
  test('a reader that leaves early is no fault', async () => {
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
    expect(stderr).not.toMatch(/woof broke|^\s+at /m);
  });

  test('a directory that cannot be made does not hang', async () => {
    const cwd = temporaryFolder({ 'a.yaml': ok });
    expect((await runWoof(['run', 'a.yaml', '--data', '/proc/nowhere/data'], { cwd })).status).toBe(1);
  });

  test('input that is no text gets a diagnostic', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.yaml'), Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x80]));
    const ran = await runWoof(['lint', 'a.yaml', '--json'], { cwd });
    expect(ran.status).toBe(1);
    expect(lastJson<{ diagnostics: unknown[] }>(ran).diagnostics.length).toBeGreaterThan(0);
  });
});
