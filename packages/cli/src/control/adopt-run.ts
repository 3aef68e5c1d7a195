/**
 * Takes over a run that nobody drives, else rejects with BusyError. If that fails, the log itself is read, to tell a
 * damaged log from a bug.
 */
import { dirname } from 'node:path';
import { loadState } from '@woof/engine';
import { isEnded, type State, usedKeychain } from '@woof/net';
import { readLog } from '../damaged-log.ts';
import { claimRun } from '../drivers/claim-run.ts';
import type { Runtime } from '../runtime.ts';
import { unlockRun } from '../secrets/unlock-run.ts';

export async function adoptRun(runtime: Runtime, executionId: string): Promise<State | undefined> {
  const { engine, data } = runtime;
  const remember = (from: string | null) => runtime.claimed.set(executionId, from);
  await claimRun(data, executionId, runtime.driver, remember);
  await unlock(runtime, executionId);
  try {
    return await engine.adopt(executionId);
  } catch (error) {
    await readLog({ executionId, folder: data.path }, () => loadState(data.store, executionId));
    throw error;
  }
}

/** A resumed run needs its secrets again: no process left them anywhere. */
async function unlock(runtime: Runtime, executionId: string): Promise<void> {
  const { store } = runtime.data;
  const row = await store.execution(executionId);
  const plan = row && (await store.plan(row.plan_hash));
  if (!plan || usedKeychain(plan).length === 0) return;
  const state = await loadState(store, executionId);
  if (!state || isEnded(state)) return;
  const folder = row.file === undefined ? '.' : dirname(row.file);
  await unlockRun(runtime, { executionId, plan, workload: state.workload, folder });
}
