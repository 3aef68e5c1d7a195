import { expect, it } from 'vitest';
import type { LiveExecution } from './live-execution.ts';
import { Turns } from './turns.ts';

const execution = (name: string) => ({ id: name, root: name.slice(0, 1) }) as LiveExecution;

function order(names: string[], count: number): string[] {
  const turns = new Turns();
  for (const name of names) turns.add(execution(name));
  return Array.from({ length: count }, () => {
    const next = turns.next()!;
    turns.toTheEnd(next);
    return next.id;
  });
}

it('runs take turns, and so do the nested ones of a run', () => {
  expect(order(['a', 'a1', 'a2', 'b', 'c'], 9)).toEqual(['a', 'b', 'c', 'a1', 'b', 'c', 'a2', 'b', 'c']);
});

it('one that comes later does not wait for all that others have to give', () => {
  const turns = new Turns();
  for (const name of ['a', 'a1', 'a2', 'a3']) turns.add(execution(name));
  turns.toTheEnd(turns.next()!);
  turns.add(execution('b'));
  expect([turns.next()?.id, turns.isEmpty]).toEqual(['a1', false]);
  turns.toTheEnd(turns.next()!);
  expect(turns.next()?.id).toBe('b');
});

it('forgets what has nothing more', () => {
  const turns = new Turns();
  const [a, a1, b] = ['a', 'a1', 'b'].map(execution);
  for (const each of [a!, a1!, b!]) turns.add(each);
  for (const each of [a1!, a!]) turns.delete(each);
  expect([...turns].map(({ id }) => id)).toEqual(['b']);
  turns.delete(b!);
  expect([turns.next(), turns.isEmpty]).toEqual([undefined, true]);
});
