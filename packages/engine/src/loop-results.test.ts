import type { LoopState } from '@woof/net';
import { expect, it, vi } from 'vitest';
import type { LiveExecution } from './live-execution.ts';
import { LoopResults, type LoopResultsParts } from './loop-results.ts';

/** Vitest's own default gives up after a second, which a busy machine may need. */
const PATIENCE = { timeout: 500_000, interval: 5 };

it('a loop whose end came through after a failure counts as such', async () => {
  const said: string[] = [];
  const command = vi.fn<LoopResultsParts['decisions']['command']>();
  command.mockRejectedValueOnce(new Error('the store does not answer')).mockResolvedValue(undefined);
  const results = new LoopResults({
    options: { blobs: { put: async () => ({}) } as never },
    decisions: { command },
    sharing: {
      later: (_, what, __, act) => {
        said.push(what);
        if (said.length === 1) act();
      },
      settled: (id) => said.push(`settled ${id}`),
    },
  });
  const loop = { id: 'each.1', total: 1, errors: [], stored: { pages: [], count: 1 } };
  const state = { loops: new Map([[loop.id, loop as unknown as LoopState]]) };
  const execution = { id: 'run', state, joining: new Set<string>() } as unknown as LiveExecution;
  results.join(execution, loop.id);
  await vi.waitFor(() => expect(said).toEqual(['join each.1', 'settled run']), PATIENCE);
  expect(execution.joining.size).toBe(0);
});
