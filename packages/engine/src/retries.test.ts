import { NewerVersion } from '@woof/net';
import { expect, it } from 'vitest';
import { Retries, type RetryParts } from './retries.ts';

const MANY = 20;

/** What a server gives up if it meets the error on every attempt. */
function givenUp(error: Error): string[] {
  const given: string[] = [];
  const parts: RetryParts = {
    options: { store: {} as never },
    timers: { set: () => {} },
    values: { bring: async () => {} },
    now: () => 0,
    dispatch: { isClosed: false },
    decisions: { drive: async () => {} },
    failures: {
      giveUp: async (id) => {
        given.push(id);
        return undefined;
      },
    },
  };
  const retries = new Retries(parts, 'server-1');
  for (let tries = 0; tries < MANY && given.length === 0; tries++) retries.again('run', error);
  return given;
}

it('a run with a newer log is not given up, unlike one that fails each time', () => {
  expect(givenUp(new Error('broken'))).toEqual(['run']);
  expect(givenUp(new NewerVersion('the log', 2, 1))).toEqual([]);
});
