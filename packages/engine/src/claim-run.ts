/**
 * Who may write to a run of a data directory: its driver. Whoever wants to continue a run that nobody drives becomes its
 * driver first.
 *
 * Owns: who may become that, and what becomes of the run afterwards. Does not own: how a process shows that it is there
 * (`Presence`), what a refusal is called (its callers).
 * Invariant: a run is taken only from a driver that is gone, and the name of a driver is never used again.
 */
import { isLocalDriver, type ReadStore, type Store } from '@woof/stores';
import { outermostId } from './lineage.ts';

/** Which processes of a data directory are there. A process that is stopped is there; one that was killed is not. */
export interface Presence {
  hasProcess(driver: string): boolean;
  /** The server drives under names of its own; there is one at a time. */
  hasServer(): boolean;
}

/** Whether there is a process behind the name. */
export function isDriving(presence: Presence, driver: string | null | undefined): driver is string {
  if (driver == null) return false;
  return isLocalDriver(driver) ? presence.hasProcess(driver) : presence.hasServer();
}

/** A nested run belongs to the process of the run that called it first. */
export async function driverOf(
  store: Pick<ReadStore, 'execution'>,
  executionId: string,
): Promise<string | null> {
  return (await store.execution(await outermostId(store, executionId)))?.driver ?? null;
}

/** `from`: the driver before, whose place was taken. `owner`: who drives the run, and keeps it. */
export type Claimed = { from: string | null } | { owner: string };

/**
 * Of several who claim, one succeeds; the others learn its name. `remember` gets the driver before the claim is made: a
 * store may take the claim without being able to say so, and whoever leaves then still knows whom to give the run back to.
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

/** A run of a server is the server's again, which continues it when it is back. Local drivers that are gone stay gone. */
export async function giveBackRun(
  store: Pick<Store, 'claim' | 'execution'>,
  executionId: string,
  { driver, from }: { driver: string; from: string | null },
): Promise<void> {
  if (from === null || from === driver || isLocalDriver(from)) return;
  await store.claim(await outermostId(store, executionId), driver, from);
}
