import { nearest } from '@woof/expr/nearest';
import { describe, expect, test } from 'vitest';
import { parseArguments } from './parse-arguments.ts';
import { UserError } from './user-error.ts';
import { defineVerb, type Verb } from './verb.ts';

const verb = defineVerb({
  args: ['FILE', '[STEP]'],
  options: { json: { doc: '' }, data: { doc: '', value: 'DIR' }, set: { doc: '', value: 'K=V', many: true } },
  examples: [],
  run: async () => 0,
}) as unknown as Verb;

const parsed = (...argv: string[]) => parseArguments('test', verb, argv);

describe('parseArguments', () => {
  test('arguments and flags in any order', () => {
    expect(parsed('--json', 'a', '--set', 'x=1', '--set=y=2', 'b', '--data=d')).toMatchObject({
      args: ['a', 'b'],
      flags: { json: true, set: ['x=1', 'y=2'], data: 'd' },
    });
  });

  test('-- ends the options', () => {
    expect(parsed('--', '--json').args).toEqual(['--json']);
  });

  test('help needs nothing else', () => {
    expect(parsed('-h').help).toBe(true);
  });

  test.each([
    [[]],
    [['a', 'b', 'c']],
    [['a', '--jsn']],
    [['a', '--data']],
    [['a', '--json=1']],
    [['a', '--data=']],
  ])('%j is refused with status 2', (argv) => {
    expect(() => parsed(...argv)).toThrow(UserError);
    expect(() => parsed(...argv)).toThrow(expect.objectContaining({ exitCode: 2 }));
  });
});

describe('what an unknown option was meant to be', () => {
  test.each([
    ['--jsn', 'did you mean --json?'],
    ['--format', 'did you mean --json?'],
    ['--param', 'did you mean --set?'],
    ['-x', 'see: woof test --help'],
    ['--city', 'see: woof test --help; to set a value of the document: --set city=VALUE'],
  ])('%s: %s', (option, fix) => expect(() => parsed('a', option)).toThrow(expect.objectContaining({ fix })));
});

describe('nearest', () => {
  test.each([
    ['rnu', 'run'],
    ['evnts', 'events'],
    ['re', 'resume'],
    ['rn', 'run'],
    ['reusme', 'resume'],
    ['xyzzy', undefined],
    ['evil', undefined],
    ['rum-punch', undefined],
    ['x'.repeat(100), undefined],
  ])('%s → %s', (word, expected) => expect(nearest(word, ['run', 'events', 'resume'])).toBe(expected));
});
