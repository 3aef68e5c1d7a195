import { Float } from '@woof/net';
import { describe, expect, test } from 'vitest';
import { applySets, unknownSets } from './set-flags.ts';
import { UserError } from './user-error.ts';

describe('applySets', () => {
  test('does not change its input', () => {
    const workload = { a: { x: 1 } };
    expect(applySets(workload, ['a.y=2', 'b=[1]'])).toEqual({ a: { x: 1, y: 2 }, b: [1] });
    expect(workload).toEqual({ a: { x: 1 } });
  });

  test('a later one wins; a value in the way is replaced', () => {
    expect(applySets({ a: 1 }, ['a.b=1', 'a.b=2'])).toEqual({ a: { b: 2 } });
  });

  test.each(['n=.inf', 'n=1e400', 'n=.nan', 'n=-.Inf', 'n=[1, {a: .nan}]'])('%s: not JSON', (set) => {
    for (const before of [{}, { n: 1 }]) {
      const apply = () => applySets(before, [set], { keepTypes: true });
      expect(apply).toThrow(UserError);
      expect(apply).toThrow(expect.objectContaining({ exitCode: 2, message: expect.stringContaining(set) }));
    }
  });

  test('text that looks like a number is text', () => {
    expect(applySets({}, ['n=".inf"', 'm=1e300'])).toEqual({ n: '.inf', m: new Float(1e300) });
  });

  const header = { n: 1, half: 0.5, on: true, list: [1], map: { k: 1 }, none: null, text: 'a' };
  test.each<[string, unknown]>([
    ['list=[2]', { list: [2] }],
    ['half=2', { half: new Float(2) }],
    ['n=2', { n: 2 }],
    ['n=0.5', { n: 0.5 }],
    ['n=12345678901234567890', { n: 12345678901234567890n }],
    ['map={k: 2}', { map: { k: 2 } }],
    ['map.k=2', { map: { k: 2 } }],
    ['map.new=[x]', { map: { k: 1, new: ['x'] } }],
    ['none=[1]', { none: [1] }],
    ['none.a=1', { none: { a: 1 } }],
    ['text=[1]', { text: '[1]' }],
    ['other.a=1', { other: { a: 1 } }],
  ])('%s keeps existing types', (set, expected) => {
    expect(applySets(header, [set], { keepTypes: true })).toEqual({ ...header, ...(expected as object) });
  });

  test.each([
    ['n=[1]', 'expected a number'],
    ['on=1', 'expected a boolean'],
    ['list=1', 'expected a list'],
    ['map=[1]', 'expected a map'],
    ['map.k=x', 'expected a number'],
    ['list.0=2', '"list" is a list in the header and has no key "0"'],
    ['map.k.z=2', '"map.k" is a number in the header and has no key "z"'],
    ['text.z=2', '"text" is a string in the header'],
  ])('%s is of another type', (set, message) => {
    const apply = () => applySets(header, [set], { keepTypes: true });
    expect(apply).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) }),
    );
  });

  test('names of the prototype are plain keys', () => {
    const set = applySets({}, ['__proto__.polluted=1', 'constructor=2']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.hasOwn(set, '__proto__')).toBe(true);
  });
});

test.each([
  ['nmae=2', '--set nmae: the workload declares no "nmae"; did you mean "name"?'],
  ['rest=1', '--set rest: the workload declares no "rest", and nothing in the document mentions it'],
  ['a.b(=1', '--set a: the workload declares no "a", and nothing in the document mentions it'],
  ['x(=1', '--set x(: the workload declares no "x(", and nothing in the document mentions it'],
  ['name.x=1', undefined],
  ['other=1', undefined],
])('unknownSets: %s', (set, said) => {
  const text = 'workload: {name: 1}\nresult: "{{ workload.other }} rested"';
  const told = unknownSets({ kind: 'playbook', workload: { name: 1 } }, [set], text);
  expect(told).toEqual(said === undefined ? [] : [said]);
});
