import { expect, test } from 'vitest';
import { loadVerb, VERBS } from '../verbs.ts';
import { complete, type World } from './complete.ts';

const files = ['a.yaml', 'b.woofnb', 'c.html', 'd.txt', 'site/'];
const world: World = {
  verbs: Object.keys(VERBS).map((word) => ({ word })),
  load: async (name) => (Object.hasOwn(VERBS, name) ? loadVerb(VERBS[name]!) : undefined),
  files: (_, endings = /(?:)/) => files.filter((name) => name.endsWith('/') || endings.test(name)),
  runs: async (data) => [{ word: `20270101-000000-${data ?? 'aaaa'}` }],
  steps: async (word) =>
    word === 'last' ? ['fetch', 'publish', 'two\nlines'] : word === 'b.woofnb' ? ['plot'] : [],
};

const words = async (typed: string[]) => (await complete(typed, world)).map(({ word }) => word);

test.each<[line: string, expected: string[]]>([
  ['sho', ['show']],
  ['he', ['help']],
  ['help res', ['result', 'resume']],
  ['nothing ', []],
  ['run ', ['a.yaml', 'b.woofnb', 'c.html', 'site/']],
  ['run a', ['a.yaml']],
  ['check ', ['c.html', 'site/']],
  ['lint a.yaml b', ['b.woofnb']],
  ['run a.yaml ', []],
  ['run --js', ['--json']],
  ['run --json --js', []],
  ['run a.yaml --set x=1 --se', ['--set']],
  ['run b.woofnb --cell ', ['plot']],
  ['show ', ['last', '20270101-000000-aaaa']],
  ['show --data other 2', ['20270101-000000-other']],
  ['show --data=other 2', ['20270101-000000-other']],
  ['show --data ', ['site/']],
  ['show --data=', ['--data=site/']],
  ['run b.woofnb --cell=p', ['--cell=plot']],
  ['show --json=', []],
  ['show --none=', []],
  ['result last ', ['fetch', 'publish']],
  ['why b.woofnb ', ['plot']],
  ['logs last --step pub', ['publish']],
  ['build x -o d', ['d.txt']],
  ['server ', ['status', 'link', 'stop']],
  ['workers ', ['list', 'drain', 'resume']],
  ['init ', ['site/']],
  ['token ', ['create', 'list', 'revoke']],
  ['secret ', ['set', 'list', 'rm', 'rotate']],
  ['schedule ', ['add', 'list', 'show', 'run', 'pause', 'resume', 'backfill', 'rm']],
  ['completion ', ['bash', 'zsh', 'fish']],
])('woof %s', async (line, expected) => {
  expect(await words(line.split(' '))).toEqual(expected);
});

test('after nothing: every verb', async () => {
  expect(await words([''])).toEqual([...Object.keys(VERBS), 'help', '--help', '--version']);
});

test.each<[line: string, about: string]>([
  ['server st', 'show address'],
  ['show la', 'the newest run'],
  ['show --js', 'print JSON'],
])('woof %s: says what it is', async (line, about) => {
  expect((await complete(line.split(' '), world))[0]?.about).toContain(about);
});
