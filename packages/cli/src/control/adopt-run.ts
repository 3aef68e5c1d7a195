/** Takes over a run that nobody drives. Where that fails, the log itself is read, to tell damage from a fault of ours. */
import { loadState } from '@woof/engine';
import type { State } from '@woof/net';
import { readLog } from '../damaged-log.ts';
import type { Runtime } from '../runtime.ts';

export async function adoptRun({ engine, data }: Runtime, executionId: string): Promise<State | undefined> {
  try {
    return await engine.adopt(executionId);
  } catch (error) {
    await readLog({ executionId, folder: data.path }, () => loadState(data.store, executionId));
    throw error;
  }
}
