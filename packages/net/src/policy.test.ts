import { plan, step, task } from '@woof/testkit';
import { expect, it } from 'vitest';
import { failure } from './outcome.ts';
import { newPipeline } from './pipeline.ts';
import type { Then } from './plan.ts';
import { judge } from './policy.ts';
import type { Site } from './render.ts';

function judged(then: Then, executed: number) {
  const failing = task('a', { rules: [{ then }] });
  const pipeline = newPipeline(plan([step('start', { tasks: [failing] })]).steps[0]!.tasks);
  pipeline.attempt = executed - 1;
  const site = { scope: {}, path: '', host: {} } as unknown as Site;
  return judge(failing, failure('exception', 'x'), pipeline, site);
}

const retry = (more: Partial<Then>): Then => ({ do: 'retry', attempts: 5000, ...more });

it.each([
  [0, 1, 0],
  [0, 1025, 0],
  [0, 4000, 0],
  [1, 3, 4000],
])('a delay of %d s with exponential backoff after attempt %d is %d ms', (seconds, executed, ms) => {
  expect(judged(retry({ delay: seconds, backoff: 'exponential' }), executed).delay_ms).toBe(ms);
});

it('an exponential backoff stays a finite number', () => {
  const { delay_ms } = judged(retry({ delay: 5, backoff: 'exponential' }), 4000);
  expect(Number.isSafeInteger(delay_ms)).toBe(true);
});

it('a negative number of attempts is refused, with the expected value', () => {
  const { error } = judged(retry({ attempts: -1 }), 1);
  expect(error?.message).toContain('expected attempts to be a number of at least 0, got -1');
});
