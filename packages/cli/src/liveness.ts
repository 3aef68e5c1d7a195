/** Whether a process drives an execution right now, as far as a reader can tell. */
import { askOwner } from './control/control-client.ts';
import type { DataDirectory } from './data-directory.ts';

const PATIENCE_MS = 2000;

export async function isDriven(data: DataDirectory, executionId: string): Promise<boolean> {
  try {
    const answer = await askOwner(data.path, { verb: 'ping', execution_id: executionId }, PATIENCE_MS);
    return answer?.ok ?? false;
  } catch {
    // It does not answer, so it is there.
    return true;
  }
}
