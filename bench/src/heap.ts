/** The memory that a server needs when all garbage is gone. */
import { readdirSync } from 'node:fs';
import { type Machines, pause } from './machines.ts';

/** The server writes a snapshot of its heap when it is asked to. */
export const SNAPSHOTS = '--heapsnapshot-signal=SIGUSR2';

/** Before it writes a snapshot of its heap, Node removes all garbage. */
export async function heapWithoutGarbage({ client, server, folder }: Machines): Promise<number> {
  const snapshots = () => readdirSync(folder).filter((name) => name.endsWith('.heapsnapshot')).length;
  const before = snapshots();
  server.kill('SIGUSR2');
  while (snapshots() === before) await pause(50);
  // It answers when the snapshot is written.
  const text = await (await client.send('metrics.get', {})).text();
  return Number(/^nodejs_heap_used_bytes (\d+)/m.exec(text)?.[1]);
}
