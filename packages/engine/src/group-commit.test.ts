import { newEvent } from '@woof/net';
import { MemoryStore } from '@woof/stores';
import { expect, it, vi } from 'vitest';
import { type CommitParts, GroupCommit } from './group-commit.ts';
import type { LiveExecution } from './live-execution.ts';

const events = Array.from({ length: 300 }, (_, n) => newEvent('workflow.started', n, {}, { entry: [] }));

function commitBeside(hasOthers: boolean, more: object = {}): GroupCommit {
  const parts = {
    options: { store: new MemoryStore(), executor: {} },
    bounds: { limits: { frame_events: 1024 }, hasOthers: () => hasOthers },
    values: { hasPending: false },
    dispatch: { canLease: false, hasLeased: false, leaseAll: () => false, startLeased: () => {} },
    sharing: { complete: () => {} },
    failures: {},
    afterCommit: {},
    ...more,
  };
  return new GroupCommit(parts as unknown as CommitParts);
}

/** It has nothing to write when its turn comes. */
function execution(): LiveExecution {
  const empty = {
    add: () => {},
    noteAsking: () => {},
    takeFrames: () => [],
    bytes: 0,
    eventsSinceSnapshot: 0,
  };
  return empty as unknown as LiveExecution;
}

it('beside other runs, long work waits for a full commit', async () => {
  const commit = commitBeside(true);
  expect(commit.roomFor('a')).toBeUndefined();
  commit.add(execution(), events);
  const room = commit.roomFor('a');
  expect(room).toBeInstanceOf(Promise);
  await room;
  expect(commit.roomFor('a')).toBeUndefined();
  const alone = commitBeside(false);
  alone.add(execution(), events);
  expect(alone.roomFor('a')).toBeUndefined();
});

it('long work does not wait for a commit that does not come', () => {
  const commit = commitBeside(true);
  const dropped = execution();
  commit.add(dropped, events);
  commit.drop(dropped);
  expect(commit.roomFor('a')).toBeUndefined();
});

it('a commit gathers what is computed, but no more large values than fit into memory', async () => {
  for (const [pendingBytes, commits] of [
    [1_000_000, 0],
    [10_000_000, 1],
  ] as const) {
    const save = vi.fn(async () => {});
    const commit = commitBeside(false, {
      values: { hasPending: true, pendingBytes, save },
      dispatch: { hasLeased: false, canLease: false, leaseAll: () => true, startLeased: () => {} },
    });
    commit.add(execution(), events);
    await new Promise((resolve) => setImmediate(resolve));
    expect(save).toHaveBeenCalledTimes(commits);
  }
});
