/** Tokens, secrets, the audit; who asks, and who is there. */
import type { MemberRow } from '@woof/stores';
import type { Handlers } from '../handler.ts';
import type { Parts } from '../parts.ts';

export function tokens({ tokens: all }: Parts): Handlers<'tokens'> & Handlers<'me'> {
  return {
    // The gate lets nobody in without a token.
    'me.get': ({ who: { id, name, role } }) => ({ id, name, role: role as Exclude<typeof role, 'anyone'> }),
    'tokens.create': ({ body, who }) => all.create(body, who.id),
    'tokens.list': async () => ({ tokens: await all.list() }),
    'tokens.revoke': async ({ params }) => {
      await all.revoke(params.id);
      return undefined;
    },
  };
}

export function secrets({ secrets: all }: Parts): Handlers<'secrets'> {
  return {
    'secrets.put': async ({ params, body }) => {
      await all.put(params.name, body.fields);
      return undefined;
    },
    'secrets.list': async () => ({ secrets: await all.list() }),
    'secrets.remove': async ({ params }) => {
      await all.remove(params.name);
      return undefined;
    },
  };
}

export function audit({ audit: entries }: Parts): Handlers<'audit'> {
  return { 'audit.list': ({ query }) => entries.list(query) };
}

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
  };
}
