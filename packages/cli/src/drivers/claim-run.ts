/** Who may write to a run: its driver. Whoever wants to go on with a run that nobody drives becomes that first. */
import { rootOf } from '@woof/engine';
import { isLocalDriver, type ReadStore, type SharedStore } from '@woof/stores';
import { BusyError } from '../user-error.ts';
import { isDriving, pidOf, removeFiles } from './drivers.ts';

/** A nested run belongs to the process of the run that called it first. */
export async function driverOf(
  store: Pick<ReadStore, 'execution'>,
  executionId: string,
): Promise<string | null> {
  return (await store.execution(rootOf(executionId)))?.driver ?? null;
}

/** Rejects with BusyError where a process drives it: of two who claim, one succeeds. Gives the driver before. */
export async function claimRun(
  { store, path }: { store: Pick<SharedStore, 'execution' | 'claim'>; path: string },
  executionId: string,
  driver: string,
): Promise<string | null> {
  const root = rootOf(executionId);
  const from = await driverOf(store, root);
  if (from === driver) return from;
  if (isDriving(path, from)) throw new BusyError(`process ${pidOf(from)} drives the run ${root}`);
  if (await store.claim(root, from, driver)) {
    if (from !== null) removeFiles(path, from);
  } else if (await store.execution(root)) throw new BusyError(`another process took over the run ${root}`);
  return from;
}

/** A run of a server is the server's again, which goes on with it when it is back. Local drivers that are gone stay gone. */
export async function giveBackRun(
  store: Pick<SharedStore, 'claim'>,
  executionId: string,
  { driver, from }: { driver: string; from: string | null },
): Promise<void> {
  if (from === null || from === driver || isLocalDriver(from)) return;
  await store.claim(rootOf(executionId), driver, from);
}
