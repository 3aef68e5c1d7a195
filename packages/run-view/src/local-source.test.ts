import { drawPlan } from '@woof/documents/drawing';
import { Driver, plan, step } from '@woof/testkit';
import { expect, test } from 'vitest';
import { localSource } from './local-source.ts';

const driver = new Driver(plan([step('a')]));
const logs = ['one\ntwo\n', 'three', 'TWO again\r\n'].map((text, i) => ({
  at: new Date(i).toISOString(),
  step: i === 1 ? 'b' : 'a',
  stream: 'stdout' as const,
  text,
}));
const source = localSource({
  execution_id: 'test',
  plan: driver.plan,
  drawing: drawPlan(driver.plan),
  events: driver.events,
  logs,
  values: { 'sha256:1': 'text' },
});
const texts = async (query: object) => {
  const { lines, more } = await source.logs({ limit: 10, ...query });
  return [lines.map(({ text }) => text).join('|'), more];
};

test('returns the last lines, those before and after a line, and those that match', async () => {
  expect(await texts({})).toEqual(['one|two|three|TWO again', false]);
  expect(await texts({ limit: 2 })).toEqual(['three|TWO again', true]);
  expect(await texts({ before: '3', limit: 1 })).toEqual(['two', true]);
  expect(await texts({ after: '1', limit: 1 })).toEqual(['two', true]);
  expect(await texts({ step: 'b' })).toEqual(['three', false]);
  expect(await texts({ q: 'two' })).toEqual(['two|TWO again', false]);
});

test('returns the values that it has, and says which it does not have', async () => {
  expect(await source.value('sha256:1')).toBe('text');
  await expect(source.value('constructor')).rejects.toThrow('does not contain');
  expect(source.head.peek()).toMatchObject({ length: driver.events.length, connection: 'over' });
});
