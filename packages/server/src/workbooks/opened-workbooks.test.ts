import { expect, test } from 'vitest';
import { OpenedWorkbooks } from './opened-workbooks.ts';
import type { Opened } from './workbook-host.ts';

function shelf(limits = { count: 3, bytes: 100 }) {
  const forgotten: string[] = [];
  const reads: string[] = [];
  const opened = new OpenedWorkbooks(limits, ({ keeper }) => forgotten.push(keeper));
  const find = (name: string, bytes = 1) =>
    opened.find(name, async () => {
      reads.push(name);
      return { keeper: name, page: { bytes } } as Opened;
    });
  return { opened, find, forgotten, reads };
}

test('keeps a limited number: the least recently used one makes room', async () => {
  const { find, forgotten, reads } = shelf();
  for (const name of ['a', 'b', 'c', 'a', 'd']) await find(name);
  expect(forgotten).toEqual(['b']);
  expect(reads).toEqual(['a', 'b', 'c', 'd']);
  await find('b');
  expect(forgotten).toEqual(['b', 'c']);
});

test('keeps a limited number of bytes, and always the newest one', async () => {
  const { find, forgotten } = shelf();
  await find('a', 40);
  await find('b', 50);
  await find('c', 30);
  expect(forgotten).toEqual(['a']);
  await find('large', 1000);
  expect(forgotten).toEqual(['a', 'b', 'c']);
  await find('d', 100);
  await find('e', 1);
  expect(forgotten).toEqual(['a', 'b', 'c', 'large', 'd']);
});

test('many concurrent calls read a workbook once and get the same one', async () => {
  const { find, reads } = shelf();
  const [first, second] = await Promise.all([find('a'), find('a')]);
  expect(first).toBe(second);
  expect(reads).toEqual(['a']);
});

test('a workbook that is missing or unreadable blocks no other', async () => {
  const { opened, find } = shelf();
  const [broken, absent, found] = await Promise.allSettled([
    opened.find('x', () => Promise.reject(new Error('disk'))),
    opened.find('y', async () => undefined),
    find('a'),
  ]);
  expect(broken.status).toBe('rejected');
  expect(absent).toMatchObject({ value: undefined });
  expect(found).toMatchObject({ value: { keeper: 'a' } });
});
