import { expect, onTestFinished, test, vi } from 'vitest';
import { pageOf } from './local-source.ts';
import { linesOf, pieceCursor } from './log-lines.ts';
import { LogWindow } from './log-window.ts';
import { writable } from './readable.ts';
import type { Head, LogLine, LogQuery } from './run-source.ts';

const lineOf = (text: string, cursor = text): LogLine => ({
  cursor,
  at: '2020-01-01T00:00:00.000Z',
  step: 'a',
  stream: 'stdout',
  text,
});

/** Gives a closed page for each answer; an answer that is missing fails. */
function windowOf(answers: (string[] | undefined)[], connection: Head['connection']) {
  const head = writable({ connection });
  const asked: LogQuery[] = [];
  const logs = async (query: LogQuery) => {
    asked.push(query);
    const texts = answers.shift();
    if (texts === undefined) throw new Error('away');
    return { lines: texts.map((text) => lineOf(text)), more: false };
  };
  const log = new LogWindow({ head, logs }, {});
  const shown = () => log.lines.value.map(({ text }) => text);
  return { log, head, asked, shown };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('splits a piece into lines, each with its own cursor', () => {
  const lines = linesOf(lineOf('one\r\ntwo\n\n', '7'));
  expect(lines.map(({ cursor, text }) => [cursor, text])).toEqual([
    ['7#0', 'one'],
    ['7#1', 'two'],
    ['7#2', ''],
  ]);
  expect(lines.map(({ cursor }) => pieceCursor(cursor))).toEqual(['7', '7', '7']);
});

test('reads once more when the run is over, even while a call is in progress', async () => {
  const { log, head, asked, shown } = windowOf([['one'], ['two']], 'live');
  const close = log.open();
  head.value = { connection: 'over' };
  await settled();
  expect(shown()).toEqual(['one', 'two']);
  expect(asked.map(({ after }) => after)).toEqual([undefined, 'one']);
  close();
});

test('distinguishes an empty log from one that is not loaded', async () => {
  const empty = windowOf([[]], 'over');
  const away = windowOf([], 'over');
  const closes = [empty, away].map(({ log }) => log.open());
  expect([empty, away].map(({ log }) => log.state.value)).toEqual(['loading', 'loading']);
  await settled();
  expect([empty, away].map(({ log }) => log.state.value)).toEqual(['loaded', 'failed']);
  for (const close of closes) close();
});

/** A log of that many lines, of which one page is what it answers at once, after so many failures. */
function longLog(count: number, failures = 0) {
  let left = failures;
  const head = writable<Pick<Head, 'connection'>>({ connection: 'over' });
  const all = Array.from({ length: count }, (_, i) => lineOf(`line ${i + 1}`, String(i + 1)));
  const logs = async (query: LogQuery) => {
    if (left-- > 0) throw new Error('away');
    return pageOf(all, query);
  };
  const log = new LogWindow({ head, logs }, {});
  const ends = () => [log.lines.value.at(0)?.cursor, log.lines.value.at(-1)?.cursor];
  return { log, ends };
}

test('begins at a line that is far from the end, and reads on to the end', async () => {
  const { log, ends } = longLog(2000);
  const close = log.open('700');
  await settled();
  expect(ends()).toEqual(['200', '1199']);
  expect(log.isApart.value).toBe(true);
  await log.after();
  await log.after();
  expect(ends()).toEqual(['200', '2000']);
  expect(log.isApart.value).toBe(false);
  await log.before();
  expect(ends()).toEqual(['1', '2000']);
  close();
});

test('begins at a line also if the server was away at first', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { log, ends } = longLog(2000, 2);
  const close = log.open('700');
  await settled();
  expect(log.state.value).toBe('failed');
  vi.advanceTimersByTime(1000);
  await settled();
  expect(ends()).toEqual(['200', '1199']);
  close();
});

test.each(['1', '1999', '2001', 'nonsense'])('begins at line %s or else at the end', async (line) => {
  const { log, ends } = longLog(2000);
  const close = log.open(line);
  await settled();
  expect(ends()).toEqual({ 1: ['1', '500'], 1999: ['1499', '2000'] }[line] ?? ['1501', '2000']);
  close();
});
