/** The memory that a server needs without garbage. */
import { readdirSync } from 'node:fs';
import { type Machines, pause } from './machines.ts';

/** Makes the server write a heap snapshot on this signal. */
export const SNAPSHOTS = '--heapsnapshot-signal=SIGUSR2';

/** Node collects all garbage before it writes a heap snapshot. */
export async function heapWithoutGarbage({ client, server, folder }: Machines): Promise<number> {
  const snapshots = () => readdirSync(folder).filter((name) => name.endsWith('.heapsnapshot')).length;
  const before = snapshots();
  server.kill('SIGUSR2');
  while (snapshots() === before) await pause(50);
  // It answers once the snapshot is written.
  const text = await (await client.send('metrics.get', {})).text();
  return Number(/^nodejs_heap_used_bytes (\d+)/m.exec(text)?.[1]);
}
