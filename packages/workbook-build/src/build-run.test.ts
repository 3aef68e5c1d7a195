import { Driver, plan, step } from '@woof/testkit';
import type { RunData } from '@woof/workbook-page';
import { expect, test } from 'vitest';
import { buildRun } from './build-run.ts';
import { Refused } from './refused.ts';

const part = (file: string) => `/* ${file} */`;

function runOf(logs: RunData['logs']): RunData {
  const { state, events } = new Driver(plan([step('a')]));
  const { execution_id, plan: own } = state;
  return { execution_id, name: 'n', plan: own, events, logs, values: {}, children: [] };
}

const lines = (count: number, size: number, sign = 'x'): RunData['logs'] =>
  Array.from({ length: count }, () => ({ at: '', step: 'a', stream: 'stdout', text: sign.repeat(size) }));

test('a run that is too large for a page is refused, and so is one with a line that a bundle would cut off', () => {
  expect(buildRun(runOf(lines(3, 10)), { part })).toContain('data-file-count="5"');
  expect(buildRun(runOf(lines(2, 900_000, '漢')), { part })).toContain('</html>');
  const refusal = (logs: RunData['logs']) => {
    try {
      return buildRun(runOf(logs), { part }).length;
    } catch (error) {
      return error instanceof Refused ? error.problems : error;
    }
  };
  const problem = { code: 'workbook/sources-too-large', hint: expect.stringContaining('woof events') };
  expect(refusal(lines(55, 1024 * 1024))).toMatchObject([problem]);
  expect(refusal(lines(1, 6 * 1024 * 1024))).toMatchObject([problem]);
});

test('a run that wrote something like a secret is refused with its place, unless that part is named', () => {
  const key = ['-----BEGIN PRIVATE KEY-----', 'MIGHAgEA'.repeat(8), '-----END PRIVATE KEY-----'].join('\n');
  const run = runOf([...lines(1, 10), { at: '', step: 'a', stream: 'stdout', text: key }]);
  expect(() => buildRun(run, { part })).toThrow(Refused);
  try {
    buildRun(run, { part });
  } catch (error) {
    expect((error as Refused).problems).toMatchObject([
      { code: 'workbook/secret', file: 'logs/0001.jsonl', line: 2 },
    ]);
  }
  expect(buildRun(run, { part, includeSecrets: ['logs/0001.jsonl'] })).toContain('</html>');
});
