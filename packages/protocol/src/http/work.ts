/**
 * What workers send. These calls are many and large, so only their shape is checked, not what lies deep in results; what
 * the net reads of a report is all there.
 */
import { z } from 'zod';
import { executionId, jobId, labels, name, object } from './fields.ts';

const worker = z.string().regex(/^[\w.:@-]{1,200}$/);
const fence = z.number().int().min(0);
const held = { execution_id: executionId, job_id: jobId, fence };

const info = {
  worker,
  protocol: z.number(),
  version: z.string().max(100),
  slots: z.number().int().min(1).max(100_000),
  labels,
  kinds: z.array(z.string().max(100)).max(1000),
};

const task = { label: z.string(), task_run_id: z.string(), attempt: z.number().int() };

const outcome = z.looseObject({
  status: z.enum(['ok', 'error']),
  error: z.looseObject({ kind: z.string(), retryable: z.boolean(), message: z.string() }).optional(),
});

const directive = z.looseObject({
  do: z.enum(['continue', 'retry', 'jump', 'break', 'fail', 'skip']),
  delay_ms: z.number().optional(),
  to: z.string().optional(),
  set_iter: object.optional(),
  set_vars: object.optional(),
  set_ctx: object.optional(),
  set_shared: object.optional(),
});

const report = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('started'), ...task }),
  z.looseObject({ type: z.literal('done'), ...task, outcome, directive }),
  z.looseObject({
    type: z.literal('parked'),
    until: z.number().optional(),
    child: executionId.optional(),
    human: object.optional(),
    memo: z.unknown().optional(),
  }),
  z.looseObject({ type: z.literal('released'), reason: z.string().max(10_000) }),
]);

const logLine = z.strictObject({
  execution_id: executionId,
  at: z.string().max(40),
  step: z.string(),
  job_id: jobId,
  task_run_id: z.string(),
  stream: z.enum(['stdout', 'stderr']),
  text: z.string(),
});

export const workSchemas = {
  'work.claim': {
    body: z.strictObject({
      ...info,
      free: z.number().int().min(0),
      wait_ms: z.number().min(0),
      draining: z.literal(true).optional(),
    }),
    answer: z.looseObject({ now: z.number(), waited_ms: z.number() }),
  },
  'work.report': {
    body: z.strictObject({
      worker,
      reports: z.array(z.strictObject({ ...held, reports: z.array(report).max(10_000) })).max(10_000),
    }),
    answer: z.object({ held: z.array(z.boolean()) }),
  },
  'work.beat': {
    body: z.strictObject({ ...info, jobs: z.array(z.strictObject(held)).max(100_000) }),
    answer: z.looseObject({ now: z.number(), again_ms: z.number(), ttl_ms: z.number() }),
  },
  'work.leave': { body: z.strictObject({ worker }) },
  'work.child': {
    body: z.strictObject({
      worker,
      ...held,
      granted: object,
      request: z.strictObject({
        path: z.string().max(1000),
        args: object,
        iter: object,
        key: z.string().max(2000),
        return_step: z.string().max(200).optional(),
      }),
    }),
    answer: z.looseObject({ state: z.string() }),
  },
  'work.cancelChild': {
    body: z.strictObject({ worker, execution_id: executionId, reason: z.string().max(10_000) }),
  },
  'work.enter': {
    body: z.strictObject({
      worker,
      key: name,
      holder: z.string().max(2000),
      concurrency: z.number().nullable(),
      per_second: z.number().nullable(),
    }),
    answer: z.object({ wait_ms: z.number() }),
  },
  'work.exit': { body: z.strictObject({ key: name, holder: z.string().max(2000) }) },
  'work.log': { body: z.strictObject({ lines: z.array(logLine).max(100_000) }) },
  'work.secrets': {
    body: z.strictObject({ worker, ...held }),
    answer: z.object({ secrets: z.record(z.string(), z.record(z.string(), z.string())) }),
  },
} as const;
