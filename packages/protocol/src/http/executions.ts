import { z } from 'zod';
import {
  count,
  diagnostic,
  executionId,
  fileName,
  flag,
  jobId,
  json,
  limit,
  name,
  object,
  path,
} from './fields.ts';

/** For the first of what is asked for. */
const waitMs = z.coerce.number().int().min(0).max(60_000);

const STATUSES = ['running', 'paused', 'needs_human', 'succeeded', 'failed', 'cancelled'] as const;

const row = z.object({
  execution_id: z.string(),
  name: z.string(),
  kind: z.string(),
  status: z.enum(STATUSES),
  started_at: z.number(),
  ended_at: z.number().optional(),
  plan_hash: z.string(),
  file: z.string().optional(),
  path: z.string().optional(),
  parent: z.string().optional(),
  error: z.string().optional(),
  driver: z.string().nullable().optional(),
  due_at: z.number().nullable().optional(),
  wants: object.nullable().optional(),
});

export const grants = z.strictObject({
  allow_files: z.boolean().optional(),
  allow_network: z.boolean().optional(),
  allow_shell: z.boolean().optional(),
});

const started = z.object({
  execution_id: z.string(),
  status: z.enum(STATUSES),
  diagnostics: z.array(diagnostic),
});

const commanded = z.object({ execution_id: z.string(), ok: z.literal(true), message: z.string() });

const envelope = z.looseObject({
  event_id: z.string(),
  execution_id: z.string(),
  seq: z.number(),
  timestamp: z.string(),
  source: z.string(),
  name: z.string(),
  entity: z.string(),
  entity_id: z.string(),
  status: z.string(),
  step: z.string().nullable(),
  data: object,
});

const time = z.number().describe('milliseconds since 1970');

const job = z.object({
  job_id: z.string(),
  step: z.string(),
  status: z.enum(['queued', 'running', 'succeeded', 'failed']),
  fence: z.number().describe('number of leases of the job'),
  lease: z
    .object({ owner: z.string(), expires_at: time.nullable() })
    .nullable()
    .describe('the worker that holds the job, and when the lease expires unless a heartbeat arrives first'),
  queued_at: time,
  started_at: time.optional(),
  ended_at: time.optional(),
  until: z.number().nullable().describe('the job waits until this time'),
  child: z.string().nullable().describe('the job waits for the end of this execution'),
  needs_human: z.boolean().describe('the job waits for approval'),
});

const step = name.optional();

export const executionSchemas = {
  'executions.start': {
    headers: z.object({
      'idempotency-key': z.string().min(1).max(200).optional(),
      traceparent: z.string().max(200).optional().describe('the trace that the execution is part of'),
    }),
    body: z
      .strictObject({
        path: path.optional().describe('a registered document'),
        version: z.string().max(64).optional().describe('version of the document (default: the newest)'),
        text: z.string().max(4_000_000).optional().describe('the document itself'),
        file: fileName.optional(),
        payload: object.optional().describe('values that override the workload of the document'),
        allow: grants.optional().describe('permissions for the code of the document'),
        priority: z.number().int().min(-1000).max(1000).optional(),
      })
      .refine((body) => (body.path === undefined) !== (body.text === undefined), {
        message: 'send either path or text',
      }),
    answer: started,
  },
  'executions.list': {
    query: z.strictObject({
      status: z.enum(STATUSES).optional(),
      kind: name.optional(),
      name: name.optional(),
      path: path.optional(),
      parent: executionId.optional(),
      roots: flag.optional().describe('only executions that no other execution started'),
      before: executionId.optional().describe('cursor: `next` of the previous page'),
      limit: limit.optional(),
    }),
    answer: z.object({ executions: z.array(row), next: z.string().optional() }),
  },
  'executions.get': {
    answer: row.extend({
      steps: z.record(
        z.string(),
        z.looseObject({
          status: z.string(),
          runs: z.number(),
          result: json.optional(),
          error: json.optional(),
        }),
      ),
      result: json.optional(),
      workload: object,
      ctx: object,
      events: z.number(),
      children: z.array(z.object({ execution_id: z.string(), name: z.string(), status: z.string() })),
    }),
  },
  'executions.row': { answer: row },
  'executions.state': { answer: z.object({ seq: z.number(), state: json }) },
  'executions.events': {
    query: z.strictObject({ from: count.optional().describe('0-based'), limit: limit.optional() }),
    headers: z.object({
      'last-event-id': z
        .string()
        .regex(/^\d{1,15}$/, 'must be the id of an event that you received: a whole number, 0 or more')
        .optional(),
    }),
    answer: z.object({ events: z.array(envelope), next: z.number().optional() }),
  },
  'executions.result': {
    query: z.strictObject({ step, load: flag.optional() }),
    answer: z.object({
      execution_id: z.string(),
      step: z.string().optional(),
      status: z.string(),
      result: json,
    }),
  },
  'executions.logs': {
    query: z.strictObject({
      from: z.string().max(100).optional(),
      limit: limit.optional(),
      step,
      wait_ms: waitMs.optional(),
    }),
    answer: z.object({
      lines: z.array(
        z.object({
          at: z.string(),
          step: z.string(),
          job_id: z.string(),
          task_run_id: z.string(),
          stream: z.enum(['stdout', 'stderr']),
          text: z.string(),
        }),
      ),
      next: z.string().describe('cursor of the next page'),
    }),
  },
  'executions.why': {
    query: z.strictObject({ step }),
    answer: z.object({
      execution_id: z.string(),
      status: z.enum(STATUSES),
      reasons: z.array(z.object({ step: z.string(), id: z.string(), reason: z.string() })),
    }),
  },
  'executions.jobs': {
    query: z.strictObject({
      after: jobId.optional().describe('cursor: `next` of the previous page'),
      limit: limit.optional(),
    }),
    answer: z.object({ jobs: z.array(job), next: z.string().optional() }),
  },
  'executions.step-runs': {
    answer: z.object({
      step_runs: z.array(
        z.object({
          step_run_id: z.string(),
          step: z.string(),
          status: z.string(),
          scheduled_at: z.number(),
          ended_at: z.number().optional(),
          iterations: z.number(),
          tasks: z.number(),
        }),
      ),
    }),
  },
  'executions.cancel': {
    body: z.strictObject({ reason: z.string().max(1000).optional() }).optional(),
    answer: commanded,
  },
  'executions.pause': { answer: commanded },
  'executions.resume': { answer: commanded },
  'executions.approve': {
    body: z.strictObject({
      step: name,
      note: z.string().max(4000).optional(),
      override: z.literal(true).optional().describe('approve a step that the safety policy blocks'),
    }),
    answer: commanded,
  },
  'executions.reject': {
    body: z.strictObject({ step: name, note: z.string().max(4000).optional() }),
    answer: commanded,
  },
  'executions.rerun': {
    headers: z.object({ 'idempotency-key': z.string().min(1).max(200).optional() }),
    body: z
      .strictObject({
        from: name.optional().describe('run this step again, and every step that follows from it'),
      })
      .optional(),
    answer: started,
  },
} as const;
