/**
 * Only its driver may write to a run in a data directory. Whoever wants to continue a run that nobody drives becomes
 * its driver first.
 *
 * Owns: who may become the driver, and what happens to the run afterwards. Does not own: how a process shows that it is
 * alive (`Presence`), the wording of a refusal (its callers).
 * Invariant: a run is taken only from a driver that is gone, and the name of a driver is never reused.
 */
import { isLocalDriver, type ReadStore, type Store } from '@woof/stores';
import { outermostId } from './lineage.ts';

/** Which processes of a data directory are alive. A process that is suspended is alive; one that was killed is not. */
export interface Presence {
  hasProcess(driver: string): boolean;
  /** The server drives under its own names; there is one server at a time. */
  hasServer(): boolean;
}

/** True if a live process has that name. */
export function isDriving(presence: Presence, driver: string | null | undefined): driver is string {
  if (driver == null) return false;
  return isLocalDriver(driver) ? presence.hasProcess(driver) : presence.hasServer();
}

/** A nested run belongs to the process that drives its outermost run. */
export async function driverOf(
  store: Pick<ReadStore, 'execution'>,
  executionId: string,
): Promise<string | null> {
  return (await store.execution(await outermostId(store, executionId)))?.driver ?? null;
}

/** `from`: the previous driver, which was replaced. `owner`: the driver that keeps the run. */
export type Claimed = { from: string | null } | { owner: string };

/**
 * If several processes claim a run, one succeeds and the others learn its name. `remember` receives the previous driver
 * before the claim is made: a store may accept the claim and fail to say so, and a leaving process must still know whom
 * to give the run back to.
 */
export async function claimRun(
  { store, presence }: { store: Pick<Store, 'execution' | 'claim'>; presence: Presence },
  executionId: string,
  driver: string,
  remember: (from: string | null) => void = () => {},
): Promise<Claimed> {
  const root = await outermostId(store, executionId);
  for (;;) {
    const from = await driverOf(store, root);
    if (from === driver) return { from };
    if (isDriving(presence, from)) return { owner: from };
    remember(from);
    if (await store.claim(root, from, driver)) return { from };
    if ((await store.execution(root)) === undefined) return { from };
  }
}

/** Returns a server's run to the server, which continues it when it is back. Local drivers that are gone stay gone. */
export async function giveBackRun(
  store: Pick<Store, 'claim' | 'execution'>,
  executionId: string,
  { driver, from }: { driver: string; from: string | null },
): Promise<void> {
  if (from === null || from === driver || isLocalDriver(from)) return;
  await store.claim(await outermostId(store, executionId), driver, from);
}
