/** Login, tokens, secrets and the audit log. */
import { z } from 'zod';
import { limit, name } from './fields.ts';
import { ROLES } from './routes.ts';

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

export const accessSchemas = {
  'me.get': { answer: me },
  'login.start': {
    // A secret in an address would appear in logs and in the browser history.
    query: z.strictObject({}),
    body: z.union([
      z.strictObject({ token: z.string().max(200) }),
      z.strictObject({ code: z.string().max(200) }),
    ]),
    answer: me,
  },
  'login.code': {
    answer: z.object({ code: z.string().describe('shown only once'), expires_at: z.number() }),
  },
  'login.end': {},
  'tokens.create': {
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
  'tokens.list': { answer: z.object({ tokens: z.array(token) }) },
  'tokens.revoke': {},
  'secrets.put': {
    body: z.strictObject({ fields: z.record(z.string().min(1).max(100), z.string().max(65_536)) }),
  },
  'secrets.list': {
    answer: z.object({
      secrets: z.array(z.object({ name: z.string(), fields: z.array(z.string()), updated_at: z.number() })),
    }),
  },
  'secrets.remove': {},
  'audit.list': {
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
