import { expect, it, vi } from 'vitest';
import { Shared, type SharedParts } from './shared.ts';

/** Vitest's own default gives up after a second, which a busy machine may need. */
const PATIENCE = { timeout: 500_000, interval: 5 };

it('commands about different jobs that do not come through are tried again each', async () => {
  const retried = new Map<string, () => void>();
  const command = vi.fn(() => Promise.reject(new Error('the store does not answer')));
  const parts: unknown = {
    options: {},
    now: () => 0,
    timers: { set: (_: string, what: string, __: number, act: () => void) => retried.set(what, act) },
    dispatch: { isClosed: false },
    decisions: { command },
  };
  const shared = new Shared(parts as SharedParts, 'server-1');
  for (const job of ['a.1', 'b.1', 'b.1']) shared.send('run', { type: 'WakeJob', job_id: job });
  await vi.waitFor(() => expect(retried.size).toBe(2), PATIENCE);
});
