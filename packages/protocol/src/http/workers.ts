/** The workers and servers of the store, and draining a worker. */
import { z } from 'zod';
import { object } from './fields.ts';

const member = z.object({
  id: z.string(),
  alive: z.boolean(),
  since: z.number(),
  seen_at: z.number(),
  info: object,
});

export const workerCalls = {
  'workers.list': {
    method: 'GET',
    path: '/v1/workers',
    role: 'viewer',
    summary: 'Lists workers and servers',
    answer: z.object({
      workers: z.array(
        member.extend({ draining: z.boolean().describe('finishes its jobs and takes no new ones') }),
      ),
      servers: z.array(member),
      now: z.number().describe('by the clock of the server, in milliseconds since 1970'),
    }),
  },
  'workers.drain': {
    method: 'POST',
    path: '/v1/workers/:id/drain',
    role: 'operator',
    status: 202,
    summary:
      'Drains a worker: it finishes its jobs and takes no new ones; repeating the call changes nothing',
    answer: z.object({ id: z.string(), draining: z.literal(true) }),
  },
  'workers.resume': {
    method: 'POST',
    path: '/v1/workers/:id/resume',
    role: 'operator',
    status: 202,
    summary: 'Ends the draining of a worker that has not left: it takes jobs again',
    answer: z.object({ id: z.string(), draining: z.literal(false) }),
  },
} as const;
