/** Whether a process drives the data directory right now, as far as a reader can tell. */
import { askOwner } from './control/control-client.ts';
import type { DataDirectory } from './data-directory.ts';

export async function drivenBy(data: DataDirectory): Promise<number | undefined> {
  try {
    return (await askOwner(data.path, { verb: 'ping' }, 2000))?.pid;
  } catch {
    // It does not answer, so it is there.
    return 0;
  }
}
