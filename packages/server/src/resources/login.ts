/**
 * Logs browsers in and out.
 *
 * Calls: packages/protocol/src/http/access.ts.
 */
import { Problem } from '@woof/protocol';
import { sessionCookie, sessionIds } from '../access/session-cookie.ts';
import type { Handlers } from '../handler.ts';
import type { Parts } from '../parts.ts';

export function login({ tokens, sessions, codes, hosts }: Parts): Handlers<'login'> {
  return {
    'login.start': async ({ body, raw, reply, signIn }) => {
      hosts.checkLogin(raw.headers);
      const who = 'code' in body ? await codes.use(body.code) : await tokens.read(body.token);
      if (who === undefined)
        throw new Problem('auth/wrong', 'the token or code is unknown, used, revoked or expired');
      signIn(who);
      const ids = await sessions.begin(who, sessionIds(raw.headers.cookie));
      reply.header('set-cookie', sessionCookie(ids));
      const { id, name, role } = who;
      return { id, name, role: role as Exclude<typeof role, 'anyone'> };
    },
    'login.code': ({ who }) => codes.create(who.id),
    'login.end': async ({ who, raw, reply }) => {
      // A caller with a token has no session.
      if (who.session === undefined) return undefined;
      reply.header('set-cookie', sessionCookie(await sessions.end(sessionIds(raw.headers.cookie))));
      return undefined;
    },
  };
}
