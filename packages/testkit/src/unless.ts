/** Suites and tests that this machine may be unable to run: each one that is skipped is counted, with its reason. */
import { describe, it } from 'vitest';

/** `describe`, or one skipped test that says why. */
export function describeUnless(reason: string | undefined): typeof describe {
  if (!reason) return describe;
  const left = (name: string) => describe(name, () => itUnless(reason)('all of it', () => {}));
  return Object.assign(left, { each: () => left }) as unknown as typeof describe;
}

/** `it`, or a skipped test that says why. */
export function itUnless(reason: string | undefined): typeof it {
  if (!reason) return it;
  return ((name: string) => it(name, (context) => context.skip(reason))) as unknown as typeof it;
}
