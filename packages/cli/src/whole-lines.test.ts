import type { LogEntry } from '@woof/stores';
import { expect, test } from 'vitest';
import { WholeLines } from './whole-lines.ts';

const piece = (text: string, task = 'a.1/run.1', stream: LogEntry['stream'] = 'stderr') =>
  ({ step: task[0]!, job_id: task.replace(/\/\w+\.\d+$/, ''), task_run_id: task, stream, text }) as LogEntry;
const texts = (lines: { text: string }[]) => lines.map(({ text }) => text);

test('pieces become lines, by task and stream', () => {
  const lines = new WholeLines();
  expect(texts(lines.take(piece('tar: ')))).toEqual([]);
  expect(texts(lines.take(piece('one\ntwo\nth', 'b.1/run.1')))).toEqual(['one', 'two']);
  expect(texts(lines.take(piece('out\n', 'a.1/run.1', 'stdout')))).toEqual(['out']);
  expect(texts(lines.take(piece('docs: gone\n\n')))).toEqual(['tar: docs: gone', '']);
  expect(lines.rest('a')).toEqual([]);
  expect(lines.rest()).toEqual([{ step: 'b', stream: 'stderr', text: 'th' }]);
  expect(lines.rest()).toEqual([]);
});

test('an unfinished line comes before the output of a later task of the same job', () => {
  const lines = new WholeLines();
  expect(texts(lines.take(piece('half', 'a.1/ask.1')))).toEqual([]);
  expect(texts(lines.take(piece('oth', 'a.1/3/ask.1')))).toEqual([]);
  expect(texts(lines.take(piece('out', 'a.1/ask.1', 'stdout')))).toEqual([]);
  expect(texts(lines.take(piece('next\n', 'a.1/ask.2')))).toEqual(['half', 'out', 'next']);
  expect(texts(lines.take(piece('er\n', 'a.1/3/ask.1')))).toEqual(['other']);
  expect(lines.rest()).toEqual([]);
});

test('a line without an end is not kept forever', () => {
  const lines = new WholeLines();
  expect(texts(lines.take(piece('x'.repeat(70_000))))).toEqual(['x'.repeat(70_000)]);
  expect(lines.rest()).toEqual([]);
});
