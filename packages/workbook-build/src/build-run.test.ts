import { gunzipSync } from 'node:zlib';
import { readWorkbook, unpackBundle } from '@woof/documents/workbook';
import { Driver, plan, step, task } from '@woof/testkit';
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

/** The files in the page, each as one text. */
function filesOf(page: string): Record<string, string> {
  const { files } = unpackBundle(readWorkbook(page).bundle!, (gzipped) => gunzipSync(gzipped)).bundle!;
  return Object.fromEntries(files.map(({ path, content }) => [path, String(Buffer.from(content!))]));
}

test('a traceback that names lines of code is kept with lines of the document too, once', () => {
  const own = plan([step('a', { tasks: [task('t', { kind: 'python', input: { code: 'x = 1\n1 / 0' } })] })], {
    where: { 'a/tool/t/code': [7, 1] },
  });
  const driver = new Driver(own);
  const traceback = 'Traceback:\n  File "<code>", line 2, in <module>\n';
  driver.finish('a.1', {
    status: 'error',
    error: { kind: 'exception', retryable: false, message: 'no', details: { traceback } },
  });
  const run = { ...runOf([]), plan: own, events: driver.events, file: 'p.yaml' };
  const files = filesOf(buildRun(run, { part }));
  expect(JSON.parse(files['tracebacks/0001.jsonl']!)).toEqual({
    step: 'a',
    task: 't',
    said: traceback,
    placed: traceback.replace('<code>', 'p.yaml').replace('line 2', 'line 8'),
  });
  // The control: without a file there is nothing to name.
  const { file: _, ...nameless } = run;
  expect(Object.keys(filesOf(buildRun(nameless, { part })))).not.toContain('tracebacks/0001.jsonl');
});

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
