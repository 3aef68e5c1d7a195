/** Completion as a shell asks for it: with the real script, files, runs and cells. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '@woof/sandbox';
import { itUnless } from '@woof/testkit/unless';
import { expect, it } from 'vitest';
import { completed, type Shell } from './typed-shell.ts';
import { lastJson, playbook, runWoof, temporaryFolder } from './woof.ts';

const HELLO = playbook('- step: start\n  tool: {kind: noop}\n');
const NOTEBOOK = '%WOOFNB 1.0\nlanguage: python\n\n```cell id=plot type=code\n1\n```\n';

it('offers files, runs, steps and cells of this folder, and nothing if there are none', async () => {
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

/** Each line, and what a Tab at its end makes of it; other shells may quote otherwise. */
const TYPED: [line: string, expected: string, Partial<Record<Shell, string>>?][] = [
  ['woof sho', 'woof show'],
  ['woof help docto', 'woof help doctor'],
  ['woof run --js', 'woof run --json'],
  ['woof run no-such', 'woof run no-such'],
  ['woof run tw', 'woof run two\\ words.yaml'],
  ['woof run two\\ w', 'woof run two\\ words.yaml'],
  ['woof run "tw', 'woof run "two words.yaml"'],
  ["woof run 'tw", "woof run 'two words.yaml'"],
  ['woof run a', 'woof run a:b.yaml', { bash: 'woof run a\\:b.yaml' }],
  ['woof run a:', 'woof run a:b.yaml'],
  ['woof run d', 'woof run d\\$\\(touch\\ pwned\\).yaml'],
  ['woof run s', 'woof run sub/'],
  ['woof run sub/i', "woof run sub/it\\'s.yaml"],
  ['woof run ~/i', 'woof run ~/in\\ home.yaml'],
  ['woof show --data=s', 'woof show --data=sub/'],
  ['woof run n.woofnb --cell ', 'woof run n.woofnb --cell plot'],
  ['woof run n.woofnb --cell=', 'woof run n.woofnb --cell=plot'],
  ['woof graph two\\ words.yaml --js', 'woof graph two\\ words.yaml --json'],
  ['woof result last f', 'woof result last fetch\\ all'],
  ['woof result last "f', 'woof result last "fetch all"'],
  ['woof result last x', 'woof result last x:y', { bash: 'woof result last x\\:y' }],
  ['~/bin/woof sho', '~/bin/woof show'],
];

const STEPS = playbook(`- step: start
  tool: {kind: noop}
  next: {spec: {mode: inclusive}, arcs: [{step: "x:y"}, {step: "fetch all"}]}
- {step: "x:y", tool: {kind: noop}}
- {step: "fetch all", tool: {kind: noop}}
`);

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  itUnless(without(shell))(`${shell}: Tab completes what a person types`, async () => {
    const cwd = temporaryFolder({
      'two words.yaml': STEPS,
      'a:b.yaml': HELLO,
      'd$(touch pwned).yaml': HELLO,
      'n.woofnb': NOTEBOOK,
      'notes.txt': '',
    });
    mkdirSync(join(cwd, 'sub'));
    writeFileSync(join(cwd, 'sub', "it's.yaml"), HELLO);
    const { execution_id: id } = lastJson(await runWoof(['run', 'two words.yaml', '--json'], { cwd }));
    const typed = [...TYPED, ['woof show 2', `woof show ${id}`] as const];
    const { lines } = await completed(
      shell,
      typed.map(([line]) => line),
      cwd,
    );
    expect(lines).toEqual(typed.map(([, expected, others]) => others?.[shell] ?? expected));
    expect(readdirSync(cwd)).not.toContain('pwned');
  });
}

for (const shell of ['zsh', 'fish'] as const) {
  itUnless(without(shell))(`${shell}: what words mean is shown beside them`, async () => {
    const { screen } = await completed(shell, ['woof show --'], temporaryFolder());
    expect(screen).toContain('show how to use this command');
  });
}
