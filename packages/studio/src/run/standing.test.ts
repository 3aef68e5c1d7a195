import { expect, it } from 'vitest';
import type { RunNow } from './run-now.ts';
import { isQueued, standing } from './standing.ts';

const linesOf = (reasons: [step: string, id: string, reason: string][]) => {
  const said = reasons.map(([step, id, reason]) => ({ step, id, kind: 'timer', reason }));
  const moment = { status: 'paused', reasons: said, questions: [] } as unknown as RunNow;
  return standing(moment)?.reasons.map(({ step, reason }) => `${step}: ${reason}`);
};

it('jobs of a step that wait for the same thing share a line', () => {
  const until = 'task "a" waits until noon';
  expect(
    linesOf([
      ['each', 'each.1/0', until],
      ['each', 'each.1/1', until],
      ['other', 'other.1', until],
      ['join', 'join', 'waits for step "each"'],
    ]),
  ).toEqual([`each: 2 iterations: ${until}`, `other: ${until}`, 'join: waits for step "each"']);
});

const moment = (status: RunNow['status'], ...kinds: RunNow['reasons'][number]['kind'][]) => {
  const reasons = kinds.map((kind) => ({ step: kind, id: kind, kind, reason: 'some words' }));
  return { status, reasons, questions: [] } as unknown as RunNow;
};

it('the kind of a reason decides what is shown, whatever its text', () => {
  const stepsOf = (one: RunNow) => standing(one)?.reasons.map(({ step }) => step);
  expect(stepsOf(moment('running', 'worker', 'pending'))).toEqual(['worker', 'pending']);
  expect(standing(moment('running', 'running', 'pending'))).toBeUndefined();
  expect(stepsOf(moment('failed', 'failed', 'skipped', 'cancelled'))).toEqual(['failed', 'cancelled']);
  expect(moment('running', 'worker', 'timer').reasons.map(isQueued)).toEqual([true, false]);
});
