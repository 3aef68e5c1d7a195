/** Completion as a shell asks for it: with the real script, files, runs and cells. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '@woof/sandbox';
import { itUnless } from '@woof/testkit/unless';
import { expect, it } from 'vitest';
import { lastJson, playbook, root, runWoof, start, temporaryFolder } from './woof.ts';

const HELLO = playbook('- step: start\n  tool: {kind: noop}\n');
const NOTEBOOK = '%WOOFNB 1.0\nlanguage: python\n\n```cell id=plot type=code\n1\n```\n';

it('names files, runs, steps and cells of this folder, and nothing where there is none', async () => {
  const cwd = temporaryFolder({ 'two words.yaml': HELLO, 'n.woofnb': NOTEBOOK, 'notes.txt': '' });
  mkdirSync(join(cwd, 'sub'));
  const words = async (...typed: string[]) =>
    lastJson<string[]>(await runWoof(['completion', 'words', '--json', '--', ...typed], { cwd }));
  expect(await words('show', '')).toEqual(['last']);
  const ran = await runWoof(['run', 'two words.yaml', '--json'], { cwd });
  const { execution_id: id } = lastJson(ran);
  expect(await words('run', '')).toEqual(['n.woofnb', 'sub/', 'two words.yaml']);
  expect(await words('show', '2')).toEqual([id]);
  expect(await words('result', 'last', '')).toEqual(['start']);
  expect(await words('run', 'n.woofnb', '--cell', '')).toEqual(['plot']);
});

const without = (shell: string) => (findProgram(shell) ? undefined : `${shell} is not installed`);

itUnless(without('bash'))('bash: the script gives bash what fits', async () => {
  const cwd = temporaryFolder({ 'two words.yaml': HELLO, 'a$(touch pwned).yaml': HELLO });
  const { stdout: script } = await runWoof(['completion', 'bash'], { cwd });
  const asked = `${script}\nCOMP_WORDS=("$1" run ""); COMP_CWORD=2; _woof "$1"; printf '%s\\n' "\${COMPREPLY[@]}"; ls`;
  const ran = await start('bash', ['-c', asked, 'bash', join(root, 'bin', 'woof')], { cwd }).ended;
  expect(ran.stdout.split('\n')).toEqual([
    'a$(touch pwned).yaml',
    'two words.yaml',
    'a$(touch pwned).yaml',
    'two words.yaml',
    '',
  ]);
});

for (const shell of ['bash', 'zsh', 'fish']) {
  itUnless(without(shell))(`${shell}: the script has no error`, async () => {
    const cwd = temporaryFolder();
    const { stdout: input } = await runWoof(['completion', shell], { cwd });
    expect(await start(shell, ['-n'], { cwd, input }).ended).toMatchObject({ status: 0, stderr: '' });
  });
}
