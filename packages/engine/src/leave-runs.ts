/** How a process stops driving: whatever has not ended is left so that another process can continue it. */
import type { Store } from '@woof/stores';
import { giveBackRun } from './claim-run.ts';
import type { Engine } from './engine.ts';

export interface Leaving {
  engine: Pick<Engine, 'close' | 'handBack'>;
  worker: { close(): Promise<void> };
  store: Pick<Store, 'claim' | 'execution'>;
  driver: string;
  /** The runs that it took over, with their previous drivers. */
  claimed: ReadonlyMap<string, string | null>;
}

/** The process must count as alive until this resolves. */
export async function leaveRuns({ engine, worker, store, driver, claimed }: Leaving): Promise<void> {
  // The engine stops handing out jobs before the worker drops those it has; then it saves what is in progress.
  const saved = engine.close();
  await worker.close();
  await saved;
  await engine.handBack('the process that ran it was stopped');
  for (const [id, from] of claimed) await giveBackRun(store, id, { driver, from });
}
