import { signal } from '@preact/signals';
import { expect, test } from 'vitest';
import { linesOf, pieceCursor } from './log-lines.ts';
import { LogWindow } from './log-window.ts';
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
  const head = signal({ connection });
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
