/** Login, tokens, secrets and the audit log. */
import { z } from 'zod';
import { ROLES } from '../roles.ts';
import { limit, name } from './fields.ts';

const role = z.enum(ROLES);

const token = z.object({
  id: z.string(),
  name: z.string(),
  role,
  created_at: z.number(),
  created_by: z.string(),
  expires_at: z.number().optional(),
});

const me = z.object({ id: z.string(), name: z.string(), role });

export const accessCalls = {
  'me.get': {
    method: 'GET',
    path: '/v1/me',
    role: 'viewer',
    worker: true,
    summary: 'Returns the name and role of the token',
    answer: me,
  },
  'login.start': {
    method: 'POST',
    path: '/v1/login',
    role: 'anyone',
    summary: 'Signs in a browser with a token or a one-time code, and sets the session cookie',
    // A secret in an address would appear in logs and in the browser history.
    query: z.strictObject({}),
    body: z.union([
      z.strictObject({ token: z.string().max(200) }),
      z.strictObject({ code: z.string().max(200) }),
    ]),
    answer: me,
  },
  'login.code': {
    method: 'POST',
    path: '/v1/login/codes',
    role: 'viewer',
    status: 201,
    summary:
      'Creates a code that signs in one browser with the role of the calling token, once, within 15 minutes',
    answer: z.object({ code: z.string().describe('shown only once'), expires_at: z.number() }),
  },
  'login.end': {
    method: 'POST',
    path: '/v1/logout',
    role: 'viewer',
    worker: true,
    status: 204,
    summary: 'Ends the session of the cookie',
  },
  'tokens.create': {
    method: 'POST',
    path: '/v1/tokens',
    role: 'admin',
    status: 201,
    summary: 'Creates a token; its secret is shown only once',
    body: z.strictObject({
      name,
      role,
      expires_in_s: z
        .number()
        .positive()
        .max(10 * 366 * 86_400)
        .optional(),
    }),
    answer: token.extend({ token: z.string().describe('shown only once') }),
  },
  'tokens.list': {
    method: 'GET',
    path: '/v1/tokens',
    role: 'admin',
    summary: 'Lists tokens, without secrets',
    answer: z.object({ tokens: z.array(token) }),
  },
  'tokens.revoke': {
    method: 'DELETE',
    path: '/v1/tokens/:id',
    role: 'admin',
    status: 204,
    summary: 'Revokes a token',
  },
  'secrets.put': {
    method: 'PUT',
    path: '/v1/secrets/:name',
    role: 'admin',
    status: 204,
    summary: 'Stores the fields of a secret, encrypted; no call returns them to people',
    body: z.strictObject({ fields: z.record(z.string().min(1).max(100), z.string().max(65_536)) }),
  },
  'secrets.list': {
    method: 'GET',
    path: '/v1/secrets',
    role: 'admin',
    summary: 'Lists the names and fields of secrets',
    answer: z.object({
      secrets: z.array(z.object({ name: z.string(), fields: z.array(z.string()), updated_at: z.number() })),
    }),
  },
  'secrets.remove': {
    method: 'DELETE',
    path: '/v1/secrets/:name',
    role: 'admin',
    status: 204,
    summary: 'Removes a secret',
  },
  'audit.list': {
    method: 'GET',
    path: '/v1/audit',
    role: 'admin',
    summary: 'Lists who changed what, newest first',
    query: z.strictObject({ before: z.string().max(100).optional(), limit: limit.optional() }),
    answer: z.object({
      entries: z.array(
        z.object({
          id: z.string(),
          at: z.number(),
          who: z.string(),
          role: z.string(),
          what: z.string(),
          from: z.string(),
          status: z.number(),
          target: z.string().optional(),
        }),
      ),
      next: z.string().optional(),
    }),
  },
} as const;
