/** How a list of executions can be filtered. */
import { z } from 'zod';
import { executionId, flag, limit, name, path } from './fields.ts';

export const STATUSES = ['running', 'paused', 'needs_human', 'succeeded', 'failed', 'cancelled'] as const;

export const before = executionId.describe('cursor: `next` of the previous page');

const WORKLOAD = /^workload\.(.{1,100})$/su;
const time = z.coerce.number().min(0).max(Number.MAX_SAFE_INTEGER).optional();

const fixed = z.looseObject({
  status: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(STATUSES)).max(STATUSES.length))
    .optional()
    .describe('one status, or several separated by commas'),
  kind: name.optional(),
  name: name.optional(),
  path: path.optional(),
  parent: executionId.optional(),
  roots: flag.optional().describe('only executions that no other execution started'),
  q: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('text in the name, path, file, id or error, ignoring case'),
  since: time.describe('started at this time or later'),
  until: time.describe('started before this time'),
  ended_since: time.describe('ended at this time or later'),
  ended_until: time.describe('ended before this time'),
  order: z.enum(['newest', 'oldest']).optional(),
  before: before.optional(),
  limit: limit.optional(),
});

/** Besides the named fields: `workload.KEY`, a top-level value of the workload as text. */
export const listQuery = fixed
  .superRefine((query, context) => {
    for (const key of Object.keys(query)) {
      if (Object.hasOwn(fixed.shape, key)) continue;
      const value = query[key];
      if (WORKLOAD.test(key) && typeof value === 'string' && value.length <= 200) continue;
      const message = `unknown filter "${key}", or its value is longer than 200 characters. Filters of the workload are workload.KEY=VALUE, each once`;
      context.addIssue({ code: 'custom', message });
    }
  })
  .transform((query) => {
    const workload = Object.entries(query).flatMap(([key, value]) => {
      const [, of] = WORKLOAD.exec(key) ?? [];
      return of === undefined ? [] : [[of, value as string] as const];
    });
    const { status, kind, name, path, parent, roots, q, since, until, ended_since, ended_until } = query;
    const { order, before, limit } = query;
    const times = { since, until, ended_since, ended_until };
    const filter = { status, kind, name, path, parent, roots, q, ...times, order, before, limit };
    return { ...filter, workload: workload.length > 0 ? Object.fromEntries(workload) : undefined };
  });
