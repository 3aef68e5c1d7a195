/**
 * Tokens, secrets, the audit log, and who the caller is.
 *
 * Calls: packages/protocol/src/http/access.ts.
 */
import type { Handlers } from '../handler.ts';
import type { Parts } from '../parts.ts';

export function tokens({ tokens: all }: Parts): Handlers<'tokens'> & Handlers<'me'> {
  return {
    // The access check admits nobody without a token.
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
