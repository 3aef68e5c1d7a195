/** A trivial Python task in the sandbox, once the pool is warm. */
import { tmpdir } from 'node:os';
import { createTools, type ToolCall, type ToolContext } from '@woof/tools';
import { type Figure, median } from '../figure.ts';

export async function pythonFigures(): Promise<Figure[]> {
  const tool = createTools().get('python')!;
  const call: ToolCall = {
    input: { code: 'result = 1 + 1' },
    spec: {},
    idempotencyKey: 'bench',
    visitKey: 'bench',
    executionId: 'bench',
    step: 'bench',
    fence: 1,
    lost: 0,
    attempt: 1,
    workdir: tmpdir(),
  };
  const context: ToolContext = {
    signal: new AbortController().signal,
    blobs: {
      put: () => Promise.reject(new Error('none here')),
      get: () => {
        throw new Error('none here');
      },
    },
    now: Date.now,
    log: () => {},
    granted: { allow_files: false, allow_network: false, allow_shell: false },
    sandbox: true,
  };
  const times: number[] = [];
  for (let round = 0; round < 60; round++) {
    const started = performance.now();
    const outcome = await tool.run(call, context);
    if (outcome.status !== 'ok') {
      return [
        { name: 'python task', value: Number.NaN, unit: 'ms', note: JSON.stringify(outcome).slice(0, 200) },
      ];
    }
    times.push(performance.now() - started);
  }
  await tool.close?.();
  return [
    { name: 'first python task, sandbox included', value: times[0]!, unit: 'ms' },
    { name: 'python task, warm', value: median(times.slice(10)), unit: 'ms', atMost: 5 },
  ];
}
