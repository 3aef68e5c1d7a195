import type { JsonObject } from '@woof/net';
import { expect, it } from 'vitest';
import { exerciseTool, toolCall, toolContext } from '../exercise-tool.ts';
import { waitTool } from './wait-tool.ts';

exerciseTool('wait', {
  make: () => waitTool,
  good: [{ input: { seconds: 0 } }, { input: { seconds: 60 } }, { input: { until: '2999-01-01T00:00:00Z' } }],
  bad: [
    [{ input: {} }, /"seconds".*"until"/],
    [{ input: { seconds: 'soon' } }, /"seconds" must be a number.*"soon"/],
    [{ input: { seconds: -1 } }, /"seconds".*-1/],
    [{ input: { seconds: 1e300 } }, /"seconds"/],
    [{ input: { until: 'tomorrow' } }, /"until" must be an ISO 8601 time.*"tomorrow"/],
    [{ input: { seconds: 1, until: '2030-01-01T00:00:00Z' } }, /cannot be used together/],
  ],
});

const start = Date.parse('2030-01-01T00:00:00Z');
const wait = (input: JsonObject, now: number, resumed?: JsonObject) =>
  waitTool.run(toolCall({ input, ...(resumed ? { resumed } : {}) }), toolContext({ now: () => now }));

it('parks until its time, parks again if woken early, then says how long it waited', async () => {
  const parked = await wait({ seconds: 90 }, start);
  const memo = { since: start, until: start + 90_000 };
  expect(parked).toEqual({ status: 'parked', until: start + 90_000, memo });
  expect(await wait({ seconds: 90 }, start + 10, memo)).toEqual(parked);
  expect(await wait({ seconds: 90 }, start + 90_500, memo)).toEqual({
    status: 'ok',
    result: { waited_seconds: 90.5, until: '2030-01-01T00:01:30.000Z' },
  });
});

it('fails at its timeout if that comes first', async () => {
  const run = (now: number, resumed?: JsonObject, timeout = 30) =>
    waitTool.run(
      toolCall({ input: { seconds: 90 }, spec: { timeout }, ...(resumed ? { resumed } : {}) }),
      toolContext({ now: () => now }),
    );
  const memo = { since: start, until: start + 90_000 };
  expect(await run(start)).toEqual({ status: 'parked', until: start + 30_000, memo });
  expect(await run(start + 30_000, memo)).toMatchObject({ status: 'error', error: { kind: 'timeout' } });
  expect(await run(start, undefined, 90)).toEqual({ status: 'parked', until: start + 90_000, memo });
  expect(await run(start + 90_000, memo, 90)).toMatchObject({ status: 'ok' });
});

it('returns at once if there is nothing to wait for', async () => {
  const result = { waited_seconds: 0, until: '2030-01-01T00:00:00.000Z' };
  expect(await wait({ seconds: 0 }, start)).toEqual({ status: 'ok', result });
  expect(await wait({ until: '2030-01-01T00:00:00Z' }, start)).toEqual({ status: 'ok', result });
});
