import { encodeJson } from '@woof/net';
import { expect, it } from 'vitest';
import { workloadChange } from './workload-change.ts';

const BEFORE = '{"a": 1, "b": {"c": [1.0, 2]}}';

function check(after: string, expected: unknown): void {
  const change = workloadChange(BEFORE, after);
  expect('problem' in change ? change.problem : encodeJson(change.payload ?? null)).toEqual(expected);
}

it('only what changed is sent, with its exact numbers', () => {
  check(BEFORE, 'null');
  check('{"b":{"c":[1.0,2]},  "a":1}', 'null');
  check('{"a": 2, "b": {"c": [1.0, 2]}}', '{"a":2}');
  check('{"a": 1.0, "b": {"c": [1.0, 2]}}', '{"a":1.0}');
  check('{"a": 1, "b": {"c": [1.0, 2]}, "n": 90071992547409931}', '{"n":90071992547409931}');
});

it('a workload that cannot be sent is reported', () => {
  check('{"a": 1', expect.stringMatching(/^The workload is not valid JSON: /));
  check('[1]', 'The workload must be a JSON object: {"key": value}');
  check('{"b": {"c": [1.0, 2]}}', 'A rerun cannot remove "a"; set it to null');
});

it('a value that is stored is replaced as a whole or not at all', () => {
  const stored = (size: number) => `{"store":"blob","key":"k","checksum":"sha256:0","size":${size}}`;
  const change = (after: string) => workloadChange(`{"rows": ${stored(70000)}, "n": 1}`, after);
  expect(change(`{"rows": ${stored(70000)}, "n": 2}`)).toEqual({ payload: { n: 2 } });
  expect(change('{"rows": [1], "n": 1}')).toEqual({ payload: { rows: [1] } });
  expect(change(`{"rows": ${stored(70001)}, "n": 1}`)).toEqual({
    problem: '"rows" is stored outside the log; leave it as it is, or replace all of it',
  });
});
