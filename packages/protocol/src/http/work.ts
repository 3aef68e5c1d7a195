/**
 * The messages between workers and servers: each is described here once, and its type follows (../work.ts).
 *
 * These calls are many and large, so only their shape is checked, not the contents of results. The fields of a report
 * that the net reads are all checked.
 */
import type { JobReport, Json, Pipeline, Question } from '@woof/net';
import { z } from 'zod';
import { executionId, jobId, json, labels, name, object, partOf } from './fields.ts';

const worker = z.string().regex(/^[\w.:@-]{1,200}$/);
const fence = z.number().int().min(0);
const jobName = { execution_id: executionId, job_id: jobId };
const held = { ...jobName, fence };

/** Every call of a worker sends it; workers up to version 3 send it only with claims and heartbeats. */
const headers = z.object({
  'woof-protocol': z.coerce.number().optional().describe('version of the worker protocol'),
});

const info = {
  worker,
  protocol: z.number(),
  version: z.string().max(100),
  slots: z.number().int().min(1).max(100_000),
  labels,
  kinds: z.array(z.string().max(100)).max(1000).describe('kinds of tools; `cell` if it runs notebooks'),
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

const report = partOf<JobReport>(
  z.discriminatedUnion('type', [
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
  ]),
);

export interface WireIteration {
  iterator: string;
  item: Json;
  index: number;
  length: number;
  parent?: WireIteration;
}

const iteration = partOf<WireIteration>(
  z.object({
    iterator: z.string(),
    item: json,
    index: z.number(),
    length: z.number(),
    parent: object.exactOptional().describe('of a nested loop: the iteration around it, of the same shape'),
  }),
);

const wireJob = z.object({
  ...held,
  leased_at: z.number().describe('by the clock of the server, ms'),
  step_run_id: z.string(),
  step: z.string(),
  args: object,
  pipeline: partOf<Pipeline>(object).describe('what is recorded of its tasks'),
  iteration: iteration.exactOptional(),
  shares: z
    .string()
    .exactOptional()
    .describe('the key of what it shares with other jobs; absent: the id of its execution'),
});

const wireExecution = z.object({
  plan: z.string().describe('the hash of its plan'),
  source: object,
  granted: object,
  caller_iter: object.exactOptional(),
  workload: object,
  ctx: object,
  results: object.describe('by step'),
  labels: object,
  tasks: z
    .record(z.string(), object)
    .exactOptional()
    .describe('results of named tasks, by step and label; absent from servers of earlier versions'),
});

const childAnswer = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('running'),
    execution_id: executionId,
    asks: partOf<Question[]>(z.array(object)).exactOptional().describe('what it waits for approval of'),
  }),
  z.object({
    state: z.literal('ended'),
    execution_id: executionId,
    status: z.string(),
    result: z.unknown(),
    error: z.string().exactOptional(),
  }),
  z.object({ state: z.literal('invalid'), message: z.string() }),
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

function call<const P extends string>(path: P) {
  return { method: 'POST', path: `/v1/work/${path}`, role: 'worker', silent: true } as const;
}

export const workCalls = {
  'work.claim': {
    ...call('claim'),
    summary: 'Claims jobs; waits until there are some',
    headers,
    body: z.strictObject({
      ...info,
      free: z.number().int().min(0),
      wait_ms: z.number().min(0),
      draining: z.literal(true).optional(),
    }),
    answer: z.object({
      now: z.number().describe('the time of the server, ms'),
      waited_ms: z.number().describe('how long the server had the claim'),
      jobs: z.array(wireJob),
      executions: z
        .record(z.string(), wireExecution)
        .describe(
          'by id: what the jobs of one execution share; jobs that were leased earlier name another key',
        ),
      stop: z.array(z.object(jobName)).describe('jobs that are no longer wanted'),
      ended: z.array(executionId).describe('executions that are over'),
    }),
  },
  'work.report': {
    ...call('report'),
    summary: 'Reports the outcomes of tasks',
    headers,
    body: z.strictObject({
      worker,
      reports: z.array(z.strictObject({ ...held, reports: z.array(report).max(10_000) })).max(10_000),
    }),
    answer: z.object({ held: z.array(z.boolean()) }),
  },
  'work.beat': {
    ...call('beat'),
    summary: 'Sends a heartbeat that lists the jobs of the worker',
    headers,
    body: z.strictObject({ ...info, jobs: z.array(z.strictObject(held)).max(100_000) }),
    answer: z.object({
      now: z.number(),
      ttl_ms: z.number().describe('a worker that sends no heartbeat for this long loses its jobs'),
      stop: z.array(z.object(jobName)).describe('the listed jobs that the worker no longer holds'),
      again_ms: z.number().describe('when to send the next heartbeat'),
      drain: z.literal(true).exactOptional().describe('finish what has begun, and begin nothing new'),
    }),
  },
  'work.leave': {
    ...call('leave'),
    summary: 'Removes the worker from the server',
    headers,
    body: z.strictObject({ worker }),
  },
  'work.child': {
    ...call('child'),
    summary: 'Starts a nested playbook, or finds the one that was started',
    headers,
    body: z.strictObject({
      worker,
      ...held,
      granted: object,
      request: z.strictObject({
        path: z.string().max(1000),
        args: object,
        iter: object,
        key: z.string().max(2000),
        return_step: z.string().max(200).exactOptional(),
      }),
    }),
    answer: childAnswer,
  },
  'work.cancelChild': {
    ...call('cancel-child'),
    summary: 'Cancels a nested playbook',
    headers,
    body: z.strictObject({ worker, execution_id: executionId, reason: z.string().max(10_000) }),
  },
  'work.enter': {
    ...call('enter'),
    summary: 'Asks to start a task that has a limit',
    headers,
    body: z.strictObject({
      worker,
      key: name,
      holder: z.string().max(2000),
      concurrency: z.number().nullable(),
      per_second: z.number().nullable(),
    }),
    answer: z.object({ wait_ms: z.number() }),
  },
  'work.exit': {
    ...call('exit'),
    summary: 'Reports that a task with a limit ended',
    headers,
    body: z.strictObject({ key: name, holder: z.string().max(2000) }),
  },
  'work.log': {
    ...call('log'),
    summary: 'Sends what tasks wrote',
    headers,
    body: z.strictObject({ lines: z.array(logLine).max(100_000) }),
  },
  // The audit log records who received secrets.
  'work.secrets': {
    method: 'POST',
    path: '/v1/work/secrets',
    role: 'worker',
    summary: 'Returns the secrets that the document of a job uses, to the worker that holds the job',
    headers,
    body: z.strictObject({ worker, ...held }),
    answer: z.object({ secrets: z.record(z.string(), z.record(z.string(), z.string())) }),
  },
} as const;

export type WireJob = z.output<typeof wireJob>;
export type WireExecution = z.output<typeof wireExecution>;
export type WireLogLine = z.output<typeof logLine>;
