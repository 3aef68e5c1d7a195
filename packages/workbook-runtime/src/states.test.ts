import { describe, expect, it } from 'vitest';
import { makeStates } from './states.ts';

const noGuard = () => {};
const make = () => makeStates(noGuard);

describe('states by name', () => {
  it('are the same for the same name, and updated by a function', () => {
    const { api } = make();
    const count = api('count', 1);
    count.update((n) => n + 1);
    expect([api('count', 5).get(), api('count', 5) === count, count.name]).toEqual([2, true, 'count']);
  });

  it('are told apart from derived values', () => {
    const { api } = make();
    api('a', 1);
    api.derived('b', () => 2);
    expect(() => api('b', 1)).toThrow('"b" is a derived value');
    expect(() => api.derived('a', () => 1)).toThrow('"a" already');
  });

  it('are restored from a snapshot, even those created later; private ones are not in it', () => {
    const first = make();
    first.api('a', 0).set(1);
    first.api('b', new Map()).set(new Map([['x', new Date(5)]]));
    first.api('c', 'hidden', { private: true });
    first.api.derived('d', () => 'computed');
    const text = first.api.snapshot();
    expect(text).not.toMatch(/hidden|computed/);
    const second = make();
    const a = second.api('a', 0);
    second.api.restore(text);
    expect([a.get(), second.api('b', new Map()).get(), second.api('c', 'own').get()]).toEqual([
      1,
      new Map([['x', new Date(5)]]),
      'own',
    ]);
  });

  it('accept no value of another kind, or one that the check rejects or throws at', () => {
    const { api, offer } = make();
    const states = [
      api('number', 1),
      api('date', new Date(0)),
      api('open', undefined as unknown),
      api('even', 2, { check: (value) => (value as number) % 2 === 0 }),
      api('bad', 1, {
        check: () => {
          throw new Error('no');
        },
      }),
    ];
    const values: [string, unknown][] = [
      ['number', '1'],
      ['date', 5],
      ['open', 'anything'],
      ['even', 3],
      ['bad', 2],
    ];
    offer(new Map(values), 'link');
    expect(states.map((state) => state.get())).toEqual([1, new Date(0), 'anything', 2, 1]);
    offer(
      new Map<string, unknown>([
        ['number', 7],
        ['even', 8],
      ]),
      'link',
    );
    expect(states.map((state) => state.get())).toEqual([7, new Date(0), 'anything', 8, 1]);
  });

  it('learn more about a state that an element made first', () => {
    const { api, offer } = make();
    api('a', 1);
    api('a', 1, { private: true, check: (value) => value === 2 });
    offer(new Map([['a', 3]]), 'link');
    expect([api('a', 1).get(), api.snapshot().includes('"a"')]).toEqual([1, false]);
  });

  it('refuse an invalid snapshot', () => {
    expect(() => make().api.restore('{}')).toThrow('not a snapshot');
    expect(() => make().api.restore('nonsense')).toThrow('not a value');
  });
});
