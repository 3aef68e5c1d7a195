/** Whether a process drives an execution right now. */
import { driverOf } from '@woof/engine';
import type { ReadStore } from '@woof/stores';
import type { DataDirectory } from './data-directory.ts';
import { isDriving } from './drivers/drivers.ts';

export async function isDriven(
  { path }: Pick<DataDirectory, 'path'>,
  store: Pick<ReadStore, 'execution'>,
  executionId: string,
): Promise<boolean> {
  if (isDriving(path, await driverOf(store, executionId))) return true;
  // Its process may have finished since the caller looked.
  return (await store.execution(executionId))?.ended_at !== undefined;
}
