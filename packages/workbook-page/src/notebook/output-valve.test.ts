import { expect, it } from 'vitest';
import { OutputValve } from './output-valve.ts';

function valve() {
  const passed: [string, string][] = [];
  return { passed, valve: new OutputValve((name, text) => passed.push([name, text])) };
}

it('passes the first lines at once, in order', () => {
  const { passed, valve: it } = valve();
  it.write('stdout', 'a\n');
  it.write('stderr', 'b\n');
  it.write('stdout', 'c\n');
  expect(passed).toEqual([
    ['stdout', 'a\n'],
    ['stderr', 'b\n'],
    ['stdout', 'c\n'],
  ]);
});

it('passes many lines in few pieces, and loses none', () => {
  const { passed, valve: it } = valve();
  for (let at = 0; at < 50_000; at++) it.write('stdout', `${at}\n`);
  it.end();
  expect(passed.length).toBeLessThan(600);
  expect(passed.map(([, text]) => text).join('')).toBe(
    Array.from({ length: 50_000 }, (_, at) => `${at}\n`).join(''),
  );
});

it('drops what is too much, and says how much; the next cell has its own share', () => {
  const { passed, valve: it } = valve();
  for (let at = 0; at < 40; at++) it.write('stdout', 'x'.repeat(100_000));
  it.end();
  const text = passed.map(([, each]) => each).join('');
  expect(text.length).toBeLessThan(2_200_000);
  expect(text).toMatch(/\[1902848 more characters of output were dropped\]/);
  it.write('stdout', 'again');
  expect(passed.at(-1)).toEqual(['stdout', 'again']);
});
