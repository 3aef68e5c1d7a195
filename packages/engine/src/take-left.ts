/** A local process keeps its run while it is alive. A run that it left goes to the server that is asked about it. */
import { Problem } from '@woof/protocol';
import type { EngineOptions } from './engine-options.ts';
import { outermostId } from './lineage.ts';

export async function takeLeft(
  { store, isDriving }: Pick<EngineOptions, 'store' | 'isDriving'>,
  executionId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const root = await outermostId(store, executionId);
  if (!isDriving?.(from) && (await store.claim(root, from, to))) return;
  const fix = 'run the command on that machine, without --server';
  throw new Problem('request/conflict', `a local process (${from}) drives run ${root}; ${fix}`);
}
