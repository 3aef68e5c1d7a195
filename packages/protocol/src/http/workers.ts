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

export const workerSchemas = {
  'workers.list': {
    answer: z.object({
      workers: z.array(
        member.extend({ draining: z.boolean().describe('finishes its jobs and takes no new ones') }),
      ),
      servers: z.array(member),
      now: z.number().describe('by the clock of the server, in milliseconds since 1970'),
    }),
  },
  'workers.drain': { answer: z.object({ id: z.string(), draining: z.literal(true) }) },
  'workers.resume': { answer: z.object({ id: z.string(), draining: z.literal(false) }) },
} as const;
