import type { WireLogLine, WorkApi } from '@woof/protocol';
import { expect, it } from 'vitest';
import { RemoteLogSink } from './remote-log-sink.ts';

/** As many as the server accepts in one call, and far more than it should receive at once. */
const TAKEN_AT_ONCE = 100_000;

it('tells when everything written so far has arrived, even if more is written meanwhile', async () => {
  const arrived: string[] = [];
  const assignment = { execution_id: 'x', job_id: 'a.1', step: { name: 'a' } } as never;
  const api: Pick<WorkApi, 'log'> = {
    log: async ({ lines }) => {
      arrived.push(...lines.map(({ text }) => text));
      if (arrived.length < 1000) sink.write(assignment, 'a.1/t.1', 'stdout', 'more');
    },
  };
  const sink: RemoteLogSink = new RemoteLogSink(api as WorkApi);
  for (const text of ['one', 'two']) sink.write(assignment, 'a.1/t.1', 'stdout', text);
  await sink.upToNow();
  expect(arrived.slice(0, 2)).toEqual(['one', 'two']);
  expect(arrived.length).toBeLessThan(1000);
});

it('sends many short lines in several calls, and counts those over the limit', async () => {
  const calls: WireLogLine[][] = [];
  const api: Pick<WorkApi, 'log'> = {
    log: async ({ lines }) => {
      calls.push(lines);
    },
  };
  const sink = new RemoteLogSink(api as WorkApi);
  const assignment = { execution_id: 'x', job_id: 'a.1', step: { name: 'a' } };
  for (let line = 0; line < TAKEN_AT_ONCE + 1; line++)
    sink.write(assignment as never, 'a.1/t.1', 'stdout', '.');
  await sink.close();
  for (const lines of calls) expect(lines.length).toBeLessThan(TAKEN_AT_ONCE / 10);
  const text = calls
    .flat()
    .map((line) => line.text)
    .join('');
  const [, dropped] = /… (\d+) characters were dropped/.exec(text)!;
  expect(text.match(/^\.+/)![0].length).toBeGreaterThan(1000);
  expect(calls.flat().length + Number(dropped)).toBe(TAKEN_AT_ONCE + 1);
});
