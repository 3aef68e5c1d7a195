import { expect, it } from 'vitest';
import { type Announced, Announcements } from './announcements.ts';

const until = async (done: () => boolean) => {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 1));
};

function task(told: string[], name: string): Announced {
  return { tellStarted: () => told.push(name) };
}

it('announces running tasks once and in order, and not those that already ended', async () => {
  const told: string[] = [];
  const announcements = new Announcements();
  const short = task(told, 'short');
  for (const name of ['a', 'b']) announcements.add(task(told, name));
  announcements.add(short);
  announcements.remove(short);
  await until(() => told.length >= 2);
  announcements.add(task(told, 'later'));
  await until(() => told.length >= 3);
  expect(told).toEqual(['a', 'b', 'later']);
});
