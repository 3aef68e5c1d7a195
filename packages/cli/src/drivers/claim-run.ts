/** Makes this process the driver of a run that nobody drives. */
import { claimRun as claim, outermostId } from '@woof/engine';
import type { Store } from '@woof/stores';
import { BusyError } from '../user-error.ts';
import { pidOf, presenceIn, removeFiles } from './drivers.ts';

/** Rejects with BusyError if a process drives it. Returns the previous driver. */
export async function claimRun(
  { store, path }: { store: Pick<Store, 'execution' | 'claim'>; path: string },
  executionId: string,
  driver: string,
  remember?: (from: string | null) => void,
): Promise<string | null> {
  const claimed = await claim({ store, presence: presenceIn(path) }, executionId, driver, remember);
  if ('owner' in claimed)
    throw new BusyError(
      `process ${pidOf(claimed.owner)} drives the run ${await outermostId(store, executionId)}`,
    );
  const { from } = claimed;
  if (from !== null && from !== driver) removeFiles(path, from);
  return from;
}
