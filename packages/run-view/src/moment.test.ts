import { newEvent } from '@woof/net';
import { Driver, plan, step } from '@woof/testkit';
import { expect, it } from 'vitest';
import { stepMomentOf } from './moment.ts';
import { valueText } from './value-text.ts';
import { localTimes } from './words.ts';

const of = (index: number) => ({ step: 's', step_run_id: 's.1', iteration_id: `s.1/${index}` });
const called = (index: number) => newEvent('job.parked', 1, of(index), { child: `child-${index}` });
const done = (index: number, status: 'ok' | 'error') =>
  newEvent('task.done', 2, of(index), { outcome: { status }, directive: { do: 'continue' } } as never);

it('says how each nested run of a step ended, failed ones first', () => {
  const { state } = new Driver(plan([step('s')]));
  const log = [called(0), called(1), done(0, 'ok'), called(2), done(1, 'error')];
  const { children } = stepMomentOf(state, 's', [], log, valueText);
  expect(children.map(({ execution_id, status }) => [execution_id, status])).toEqual([
    ['child-1', 'failed'],
    ['child-0', 'succeeded'],
    ['child-2', 'running'],
  ]);
});

it("shows the times of a reason in the reader's time zone", () => {
  const at = '2026-11-18T02:22:13.599Z';
  expect(localTimes(`waits until ${at}`)).toBe(`waits until ${new Date(at).toLocaleString('sv')}`);
  expect(localTimes('no time')).toBe('no time');
});
