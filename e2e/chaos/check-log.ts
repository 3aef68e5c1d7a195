/** What must be true of the log of every run, whatever died. */
import type { Envelope } from '@woof/net';
import { expect } from 'vitest';
import type { EffectServer } from '../cli/effect-server.ts';

export function checkLog(events: readonly Envelope[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const ends = events.filter(({ name }) => /^(step|loop\.iteration)\.(done|failed)$/.test(name));
  const names = ends.map(({ step_run_id, iteration_id }) => iteration_id ?? step_run_id);
  expect(new Set(names).size).toBe(names.length);
  const runs = events.filter(({ name }) => name === 'task.done').map(({ task_run_id }) => task_run_id);
  expect(new Set(runs).size).toBe(runs.length);
}

/** Every effect happened. Repeated effects were in progress when their lease ended. */
export function checkEffects(
  { count }: EffectServer,
  { id, items }: { id: string; items: number },
  events: readonly Envelope[],
): void {
  for (let n = 0; n < items; n++) {
    const leases = events.filter(
      ({ name, iteration_id }) => name === 'job.leased' && iteration_id === `start.1/${n}`,
    );
    const done = count(`/count/${id}-${n}`);
    expect(done).toBeGreaterThanOrEqual(1);
    expect(done).toBeLessThanOrEqual(leases.length);
  }
}
