import { MemoryStore, StoreError } from '@woof/stores';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Desk } from './desk.ts';
import { Engine } from './engine.ts';

async function faultsInAMinute(error: Error): Promise<number> {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const store = new MemoryStore();
  store.execution = async () => {
    throw error;
  };
  let faults = 0;
  const engine = new Engine({
    store,
    blobs: {} as never,
    executor: new Desk({ onFree: () => {} }),
    driver: 's1',
    onFault: () => {
      faults += 1;
    },
  });
  await engine.driveSurely('x');
  await vi.advanceTimersByTimeAsync(60_000);
  await engine.close();
  return faults;
}

it('an execution that cannot be driven is retried less and less often', async () => {
  // At once, and after 1, 3, 7, 15 and 31 s. Then it is given up, which fails here too.
  expect(await faultsInAMinute(new Error('its log is odd'))).toBe(7);
});

it('an unavailable store is asked every second: it comes back for all executions', async () => {
  expect(await faultsInAMinute(new StoreError('unavailable', 'away'))).toBe(61);
});
