import type { JsonObject } from '@woof/net';
import { expect, it } from 'vitest';
import { exerciseTool, toolCall, toolContext } from '../exercise-tool.ts';
import { gateTool } from './gate-tool.ts';

exerciseTool('gate', {
  make: () => gateTool,
  good: [
    { input: {} },
    { input: { message: 'Deploy?', approvers: ['ada'], timeout_sec: 60 } },
    { input: { timeout_sec: 1e305 } },
  ],
  bad: [
    [{ input: { message: 5 } }, /"message" must be text, got 5/],
    [{ input: { approvers: 'ada' } }, /"approvers" must be a list of names/],
    [{ input: { approvers: [] } }, /"approvers" must be a list of names/],
    [{ input: { timeout_sec: -1 } }, /"timeout_sec"/],
  ],
});

const start = Date.parse('2030-01-01T00:00:00Z');
const gate = (input: JsonObject, now: number, resumed?: JsonObject) =>
  gateTool.run(toolCall({ input, ...(resumed ? { resumed } : {}) }), toolContext({ now: () => now }));
const answered = (answer: JsonObject, memo: JsonObject = { since: start }) => ({
  memo,
  answer: { at: start, ...answer },
});

it('asks, and reports who approved, when and why', async () => {
  expect(await gate({ message: 'Deploy?' }, start)).toEqual({
    status: 'parked',
    human: { reason: 'Deploy?' },
    memo: { since: start },
  });
  expect(await gate({}, start + 5, answered({ approved: true, by: 'ada', note: 'go' }))).toEqual({
    status: 'ok',
    result: { approved_by: 'ada', note: 'go', at: '2030-01-01T00:00:00.000Z' },
  });
});

it('fails if it is rejected', async () => {
  expect(await gate({}, start, answered({ approved: false, by: 'ada', note: 'not yet' }))).toMatchObject({
    status: 'error',
    error: { kind: 'policy', code: 'rejected', message: 'rejected by ada: not yet' },
  });
});

it('accepts only those who may answer, and waits no longer because of others', async () => {
  const input = { approvers: ['ada'], timeout_sec: 60 };
  expect(await gate(input, start + 10_000, answered({ approved: true, by: 'eve' }))).toMatchObject({
    status: 'parked',
    human: { reason: expect.stringContaining('eve may not answer'), approvers: ['ada'] },
    until: start + 60_000,
    memo: { since: start },
  });
  expect(await gate(input, start, answered({ approved: true }))).toMatchObject({ status: 'parked' });
  expect(await gate(input, start, answered({ approved: true, by: 'ada' }))).toMatchObject({ status: 'ok' });
});

it('fails when its time is up, and an answer in time counts even if it is read late', async () => {
  expect(await gate({ timeout_sec: 60 }, start + 60_000, { since: start })).toMatchObject({
    status: 'error',
    error: { kind: 'timeout', retryable: false, message: 'nobody answered the gate within 60 s' },
  });
  expect(await gate({ timeout_sec: 60 }, start + 90_000, answered({ approved: true }))).toMatchObject({
    status: 'ok',
  });
});

it('accepts no answer after its time, whoever gives it', async () => {
  const late = answered({ approved: true, by: 'ada', at: start + 60_000 });
  expect(await gate({ timeout_sec: 60 }, start + 60_001, late)).toMatchObject({
    status: 'error',
    error: { kind: 'timeout', message: expect.stringContaining('ada answered too late') },
  });
});
