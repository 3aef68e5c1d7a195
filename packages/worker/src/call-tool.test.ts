import type { Outcome } from '@woof/net';
import type { Tool, ToolCall } from '@woof/tools';
import { expect, it } from 'vitest';
import { callTool } from './call-tool.ts';
import type { Performance } from './performance.ts';

/** A task whose document has a folder that is created only when it is asked for. */
function performanceOf(run: (call: ToolCall) => unknown): { performance: Performance; made: () => number } {
  let made = 0;
  const source = {
    get folder() {
      made += 1;
      return '/somewhere';
    },
  };
  const tool: Tool = {
    schema: { kind: 'try', summary: '', fields: {} },
    run: (call) => Promise.resolve({ status: 'ok', result: run(call) } as Outcome),
  };
  const performance = {
    task: { label: 'a', kind: 'try', at: [1, 1], input: {}, spec: {} },
    taskRunId: 's.1/a.1',
    assignment: { execution_id: 'e', fence: 3, step: { name: 's' }, source, granted: {} },
    pipeline: { attempt: 1, lost: 2, memo: null },
    port: { host: { now: Date.now } },
    job: {},
    options: { tools: new Map([['try', tool]]), blobs: {}, logs: {}, sandbox: true, hidden: [] },
  } as unknown as Performance;
  return { performance, made: () => made };
}

it('makes the folder of an execution only for a tool that asks for it', async () => {
  const asking = performanceOf((call) => call.workdir);
  expect(await callTool(asking.performance, {}, {})).toMatchObject({ result: '/somewhere' });
  expect(asking.made()).toBe(1);
  const handing = performanceOf((call) => ({ ...call }).fence);
  expect(await callTool(handing.performance, {}, {})).toMatchObject({ result: 3 });
  expect(handing.made()).toBe(0);
});

it('shows a tool nothing of the worker', async () => {
  const { performance } = performanceOf((call) => Object.keys(call).sort());
  expect(await callTool(performance, {}, {})).toMatchObject({
    result: ['attempt', 'executionId', 'fence', 'idempotencyKey', 'input', 'lost', 'spec', 'step'],
  });
});

it('tells the tool who calls it', async () => {
  const { performance } = performanceOf(({ idempotencyKey, step, attempt, lost }) => [
    idempotencyKey,
    step,
    attempt,
    lost,
  ]);
  expect(await callTool(performance, {}, {})).toMatchObject({ result: ['e/s.1/a.1/2', 's', 2, 2] });
});
