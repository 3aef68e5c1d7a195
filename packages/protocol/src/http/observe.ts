import { z } from 'zod';
import { labels } from './fields.ts';

const wants = { labels, kinds: z.array(z.string()).describe('tool kinds that the worker must have') };

export const observeCalls = {
  'metrics.get': {
    method: 'GET',
    path: '/metrics',
    role: 'viewer',
    summary: 'Returns metrics for Prometheus',
  },
  'server.get': {
    method: 'GET',
    path: '/v1/server',
    role: 'viewer',
    summary: 'Describes the server process: version, store, uptime and current work',
    answer: z.object({
      id: z.string(),
      pid: z.number(),
      version: z.string(),
      store: z.string().describe('the kind of its store, such as sqlite'),
      started_at: z.number().describe('milliseconds since 1970'),
      uptime_ms: z.number(),
      running: z.number().describe('runs in progress in the store that a process drives; counted up to 1000'),
      interrupted: z.number().describe('runs of a `woof run` that is gone; `woof resume` continues them'),
      waiting_jobs: z.number().describe('jobs on this server that are waiting for a worker'),
      workers: z.number().describe('number of connected workers'),
      draining: z.number().describe('number of workers that are draining'),
    }),
  },
  'server.stop': {
    method: 'POST',
    path: '/v1/server/stop',
    role: 'admin',
    status: 202,
    summary: 'Stops the server process, as SIGTERM does: jobs can finish within its grace time',
    answer: z.object({ id: z.string(), pid: z.number() }),
  },
  'limits.get': {
    method: 'GET',
    path: '/v1/limits',
    role: 'viewer',
    summary: 'Lists the task runs that hold or wait for a limit',
    answer: z.object({
      limits: z.array(
        z.object({
          key: z.string(),
          held: z.array(
            z.object({
              holder: z.string(),
              worker: z.string(),
              since: z.number().describe('milliseconds since 1970'),
            }),
          ),
          waiting: z
            .array(z.object({ holder: z.string(), worker: z.string(), asked_at: z.number() }))
            .describe('task runs that asked this server and are waiting'),
        }),
      ),
    }),
  },
  'queue.get': {
    method: 'GET',
    path: '/v1/queue',
    role: 'viewer',
    summary: 'Lists the jobs that are waiting for a worker, and why',
    answer: z.object({
      jobs: z.number().describe('number of jobs that are waiting on this server'),
      waiting: z.array(
        z.object({
          execution_id: z.string(),
          job_id: z.string(),
          step: z.string(),
          priority: z.number(),
          since: z
            .number()
            .optional()
            .describe('since when no worker was free for it, in milliseconds since 1970'),
          wants: z.object(wants),
          reason: z.string(),
        }),
      ),
      elsewhere: z
        .array(z.object({ execution_id: z.string(), driver: z.string().nullable(), wants: z.object(wants) }))
        .describe('executions of other servers that need a worker which those servers do not have'),
    }),
  },
} as const;
