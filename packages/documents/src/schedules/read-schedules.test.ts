import { expect, test } from 'vitest';
import { readDocument } from '../document.ts';
import { toolSchemas } from '../fixtures/tool-schemas.ts';

function read(schedules: unknown) {
  const document = {
    apiVersion: 'noetl.io/v10',
    kind: 'Playbook',
    metadata: { name: 'x', path: 'x' },
    workload: { text: '' },
    workflow: [{ step: 'start', tool: { kind: 'noop' } }],
    executor: { spec: { schedules } },
  };
  return readDocument(JSON.stringify(document), { kinds: toolSchemas });
}
const codes = (schedules: unknown) => read(schedules).diagnostics.map(({ code }) => code);
const named = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `s${at}`, cron: '@daily' }));

test('a document declares at most a hundred schedules', () => {
  expect(read(named(100)).schedules).toHaveLength(100);
  expect(codes(named(101))).toEqual(['schedule/too-many']);
});

test('a payload has at most 64 KiB', () => {
  const of = (size: number) => [{ cron: '@daily', payload: { text: 'x'.repeat(size) } }];
  expect(codes(of(65_000))).toEqual([]);
  expect(codes(of(66_000))).toEqual(['schedule/large-payload']);
});

test('schedules are not part of the plan', () => {
  expect(read(named(2)).plan).toEqual(read(undefined).plan);
});
