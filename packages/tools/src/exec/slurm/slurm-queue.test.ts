import { expect, it, onTestFinished, vi } from 'vitest';
import { SlurmFault } from './slurm-commands.ts';
import { SlurmQueue } from './slurm-queue.ts';

const entry = { id: '7', state: 'RUNNING', reason: 'None', name: 'a' };

it('answers all waiters with one call, no more often than requested', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const times: number[] = [];
  const begun = Date.now();
  const queue = new SlurmQueue({
    ask: async () => {
      times.push(Date.now() - begun);
      return [entry, { ...entry, id: '8' }];
    },
  });
  const loop = async (pollMs: number) => {
    for (let round = 0; round < 3; round += 1) expect((await queue.next(pollMs)).get('a')).toHaveLength(2);
  };
  const loops = Promise.all([loop(60), loop(60), loop(80), loop(1000)]);
  await vi.advanceTimersByTimeAsync(10_000);
  await loops;
  expect(times).toEqual([0, 60, 120]);
});

it('retries while the controller is unavailable, then passes its message to all', async () => {
  let calls = 0;
  const away = () => new SlurmFault('Unable to contact slurm controller', true);
  const options = { patience: 3, longestPauseMs: 5 };
  const back = new SlurmQueue({
    ...options,
    ask: async () => {
      calls += 1;
      if (calls < 3) throw away();
      return [entry];
    },
  });
  expect((await back.next(1)).get('a')).toEqual([entry]);
  expect(calls).toBe(3);
  const gone = new SlurmQueue({ ...options, ask: () => Promise.reject(away()) });
  const waits = await Promise.allSettled([gone.next(1), gone.next(1)]);
  for (const wait of waits) {
    expect(wait.status).toBe('rejected');
    expect(String((wait as PromiseRejectedResult).reason)).toContain(
      'Unable to contact slurm controller (tried 3 times)',
    );
  }
  expect(gone.polls).toBe(3);
});

it('does not retry if Slurm refuses', async () => {
  const queue = new SlurmQueue({
    ask: () => Promise.reject(new SlurmFault('this worker has no squeue', false)),
  });
  await expect(queue.next(1)).rejects.toThrow('this worker has no squeue');
  expect(queue.polls).toBe(1);
});
