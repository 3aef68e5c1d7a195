import { expect, it } from 'vitest';
import { FairOrder } from './fair-order.ts';
import type { LiveExecution } from './live-execution.ts';

const execution = (name: string) => ({ id: name, root: name.slice(0, 1) }) as LiveExecution;

/** Who gives the next jobs; consecutive jobs of one execution count once. */
function order(turns: FairOrder, jobs: number): string[] {
  const givers: string[] = [];
  for (let job = 0; job < jobs; job++) {
    const next = turns.next()!;
    if (givers.at(-1) !== next.id) givers.push(next.id);
    turns.gave(next);
  }
  return givers;
}

function orderOf(...names: string[]): FairOrder {
  const turns = new FairOrder();
  for (const name of names) turns.add(execution(name));
  return turns;
}

it('runs take turns, and so do the nested runs of a run', () => {
  expect(order(orderOf('a', 'a1', 'a2', 'b', 'c'), 9 * 8)).toEqual([
    'a',
    'b',
    'c',
    'a1',
    'b',
    'c',
    'a2',
    'b',
    'c',
  ]);
});

it('one that comes later waits for one turn of each, however much they have to give', () => {
  const turns = orderOf('a', 'a1', 'a2', 'a3');
  expect(order(turns, 3)).toEqual(['a']);
  turns.add(execution('b'));
  expect(order(turns, 10)).toEqual(['a', 'b']);
});

it('forgets what has nothing more', () => {
  const turns = new FairOrder();
  const [a, a1, b] = ['a', 'a1', 'b'].map(execution);
  for (const each of [a!, a1!, b!]) turns.add(each);
  for (const each of [a1!, a!]) turns.delete(each);
  expect([...turns].map(({ id }) => id)).toEqual(['b']);
  turns.delete(b!);
  expect([turns.next(), turns.isEmpty]).toEqual([undefined, true]);
});

it('a run waits for one job of each other, not for a whole turn, when there is room for one at a time', () => {
  const turns = orderOf('a1', 'b1');
  const givers: string[] = [];
  for (let room = 0; room < 4; room++) {
    givers.push(...order(turns, 1));
    turns.endTurn();
  }
  expect(givers).toEqual(['a1', 'b1', 'a1', 'b1']);
});

it('a round is over when each had a turn', () => {
  const turns = orderOf('a', 'b');
  turns.newRound();
  const isOver: boolean[] = [];
  for (let turn = 0; turn < 2; turn++) {
    isOver.push(turns.isRoundOver);
    order(turns, 8);
  }
  expect([...isOver, turns.isRoundOver]).toEqual([false, false, true]);
  turns.add(execution('c'));
  expect(turns.isRoundOver).toBe(true);
  turns.newRound();
  expect(turns.isRoundOver).toBe(false);
});
