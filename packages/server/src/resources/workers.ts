/**
 * The workers and servers of the store, and draining a worker.
 *
 * Calls: packages/protocol/src/http/workers.ts.
 */
import type { MemberRow } from '@woof/stores';
import type { Handlers } from '../handler.ts';
import type { Parts } from '../parts.ts';

export function workers({ store, work, now }: Parts): Handlers<'workers'> {
  const shown = ({ id, alive, since, seen_at, info }: MemberRow) => ({ id, alive, since, seen_at, info });
  return {
    'workers.list': async () => {
      const draining = await work.draining();
      const known = await store.members('worker');
      return {
        workers: known.map((row) => ({ ...shown(row), draining: draining.has(row.id) })),
        servers: (await store.members('server')).map(shown),
        now: now(),
      };
    },
    'workers.drain': async ({ params: { id } }) => {
      await work.drain(id);
      return { id, draining: true as const };
    },
    'workers.resume': async ({ params: { id } }) => {
      await work.resume(id);
      return { id, draining: false as const };
    },
  };
}
