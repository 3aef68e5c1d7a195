/** Who may write to a run: its driver. Whoever wants to go on with a run that nobody drives becomes that first. */
import { rootOf } from '@woof/engine';
import type { ReadStore, SharedStore } from '@woof/stores';
import { BusyError } from '../user-error.ts';
import { isDriving, pidOf, removeFiles } from './drivers.ts';

/** A nested run belongs to the process of the run that called it first. */
export async function driverOf(
  store: Pick<ReadStore, 'execution'>,
  executionId: string,
): Promise<string | null> {
  return (await store.execution(rootOf(executionId)))?.driver ?? null;
}

/** Rejects with BusyError where a process drives it: of two who claim, one succeeds. */
export async function claimRun(
  { store, path }: { store: Pick<SharedStore, 'execution' | 'claim'>; path: string },
  executionId: string,
  driver: string,
): Promise<void> {
  const root = rootOf(executionId);
  const from = await driverOf(store, root);
  if (from === driver) return;
  if (isDriving(path, from)) throw new BusyError(`process ${pidOf(from)} drives the run ${root}`);
  if (await store.claim(root, from, driver)) {
    if (from !== null) removeFiles(path, from);
  } else if (await store.execution(root)) throw new BusyError(`another process took over the run ${root}`);
}
