import { expect, it } from 'vitest';
import { knownStates, stateMeaning } from './slurm-states.ts';

it('knows which states end a job', () => {
  const over = knownStates.filter((state) => stateMeaning(state).over);
  expect(over).toEqual(
    expect.arrayContaining(
      'COMPLETED FAILED CANCELLED PREEMPTED NODE_FAIL OUT_OF_MEMORY TIMEOUT DEADLINE BOOT_FAIL REVOKED SPECIAL_EXIT'.split(
        ' ',
      ),
    ),
  );
  for (const state of 'PENDING CONFIGURING RUNNING COMPLETING REQUEUED SUSPENDED STOPPED'.split(' '))
    expect(stateMeaning(state).over).toBe(false);
});

it('distinguishes what may succeed the next time from what will not', () => {
  const meaning = (state: string) => [stateMeaning(state).kind, stateMeaning(state).retryable];
  expect(meaning('PREEMPTED')).toEqual(['server_error', true]);
  expect(meaning('NODE_FAIL')).toEqual(['server_error', true]);
  expect(meaning('CANCELLED')).toEqual(['cancelled', false]);
  expect(meaning('TIMEOUT')).toEqual(['timeout', false]);
  expect(meaning('OUT_OF_MEMORY')).toEqual(['exception', false]);
});

it('waits if it does not know a state', () => {
  for (const state of ['SHINY_NEW', 'constructor'])
    expect(stateMeaning(state)).toMatchObject({ over: false });
});
