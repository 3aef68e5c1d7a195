/** A person who waits for a run is told once if there is no worker to start it. */
import type { Client } from '@woof/client';

/** By then a worker that starts together with its server is known. */
const SAY_AFTER_MS = 2000;

export function watchForWorker(client: Client, say: (line: string) => void, signal: AbortSignal): void {
  const timer = setTimeout(() => void look().catch(() => undefined), SAY_AFTER_MS).unref();
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  const look = async () => {
    const { workers } = await client.call('workers.list');
    if (signal.aborted || workers.some(({ alive, draining }) => alive && !draining)) return;
    say(`no worker is taking jobs; start one with: woof worker --server ${client.url}`);
  };
}
