import { EVENTS, type EventName, REASON_KINDS } from '@woof/net';
import { z } from 'zod';
import { BODY_LIMITS } from '../body-limits.ts';
import { before, listQuery, STATUSES } from './execution-lists.ts';
import { count, diagnostic, fileName, flag, jobId, json, limit, name, object, path } from './fields.ts';

/** How long to wait for the first of the requested items. */
const waitMs = z.coerce.number().int().min(0).max(60_000);

const STREAMS = ['stdout', 'stderr'] as const;
const pageLimit = z.coerce.number().int().min(1).max(10_000);
const cursor = z
  .string()
  .regex(/^\d{0,15}$/, 'must be `next`, `previous` or `cursor` of an answer of this call');

export const row = z.object({
  execution_id: z.string(),
  name: z.string(),
  kind: z.string(),
  status: z.enum(STATUSES),
  started_at: z.number(),
  ended_at: z.number().exactOptional(),
  plan_hash: z.string(),
  file: z.string().exactOptional(),
  path: z.string().exactOptional(),
  parent: z.string().exactOptional(),
  rerun_of: z.string().exactOptional().describe('the execution whose steps it reuses'),
  error: z.string().exactOptional(),
  asks: z.boolean().nullable().exactOptional().describe('a step is waiting for approval'),
  driver: z.string().nullable().exactOptional(),
  due_at: z.number().nullable().exactOptional(),
  wants: object.nullable().exactOptional(),
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

const stepReason = z.object({ step: z.string(), reason: z.string() });

const commanded = z.object({ execution_id: z.string(), ok: z.literal(true), message: z.string() });

const ENTITIES = [...new Set(Object.values(EVENTS).map(([, entity]) => entity))];
const NAMES = Object.keys(EVENTS) as EventName[];
const nullableText = z.string().nullable();

const envelope = z.object({
  version: z.number().exactOptional().describe('of the log; absent: 1'),
  event_id: z.string(),
  execution_id: z.string(),
  seq: z.number(),
  timestamp: z.string(),
  source: z.enum(['server', 'worker']),
  name: z.enum(NAMES),
  entity: z.enum(ENTITIES),
  entity_id: z.string(),
  status: z.enum(['in_progress', 'success', 'error', 'paused']),
  step: nullableText,
  step_run_id: nullableText,
  iteration_id: nullableText,
  task_run_id: nullableText,
  task_label: nullableText,
  attempt: z.number().nullable(),
  job_id: nullableText,
  fence: z.number().nullable(),
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
  until: z.number().nullable().describe('the job is waiting until this time'),
  child: z.string().nullable().describe('the job is waiting for this execution to end'),
  needs_human: z.boolean().describe('the job is waiting for approval'),
});

const gate = z.object({
  execution_id: z.string(),
  name: z.string(),
  step: z.string().describe('the step to approve or reject, or its job if several of its jobs are waiting'),
  since: time,
  message: z.string().optional(),
  blocked_by_policy: z.boolean().optional().describe('approving needs override'),
  approvers: z.array(z.string()).optional().describe('who may answer; anybody if absent'),
});

const step = name.optional();

const id = '/v1/executions/:id';

export const executionCalls = {
  'executions.start': {
    method: 'POST',
    path: '/v1/executions',
    role: 'operator',
    status: 201,
    summary: 'Starts a registered document or a given text; the execution is durable when the call returns',
    headers: z.object({
      'idempotency-key': z.string().min(1).max(200).optional(),
      traceparent: z.string().max(200).optional().describe('the trace that the execution is part of'),
    }),
    body: z
      .strictObject({
        path: path.optional().describe('a registered document'),
        version: z.string().max(64).optional().describe('version of the document (default: the newest)'),
        text: z.string().max(BODY_LIMITS.text).optional().describe('the document itself'),
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
    method: 'GET',
    path: '/v1/executions',
    role: 'viewer',
    summary: 'Lists the executions that match a filter, newest first unless order=oldest',
    query: listQuery,
    answer: z.object({ executions: z.array(row), next: z.string().exactOptional() }),
  },
  'executions.counts': {
    method: 'GET',
    path: '/v1/executions/counts',
    role: 'viewer',
    summary: 'Counts executions by status, without nested ones',
    answer: z.object({ counts: z.record(z.enum(STATUSES), z.number()) }),
  },
  'executions.gates': {
    method: 'GET',
    path: '/v1/executions/gates',
    role: 'viewer',
    summary: 'Lists the steps of all executions that are waiting for approval',
    query: z.strictObject({ before: before.optional(), limit: limit.optional() }),
    answer: z.object({ gates: z.array(gate), next: z.string().optional() }),
  },
  'executions.get': {
    method: 'GET',
    path: id,
    role: 'viewer',
    summary: 'Returns the state of an execution, step by step',
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
  'executions.row': {
    method: 'GET',
    path: `${id}/row`,
    role: 'viewer',
    summary: 'Returns an execution as lists show it, without its steps',
    answer: row,
  },
  'executions.state': {
    method: 'GET',
    path: `${id}/state`,
    role: 'viewer',
    summary: 'Returns a snapshot of the state, which later events continue',
    answer: z.object({ seq: z.number(), state: json }),
  },
  'executions.events': {
    method: 'GET',
    path: `${id}/events`,
    role: 'viewer',
    summary:
      'Returns a page of events; with Accept: text/event-stream, streams all events and new ones as they happen',
    query: z.strictObject({ from: count.optional().describe('0-based'), limit: pageLimit.optional() }),
    headers: z.object({
      'last-event-id': z
        .string()
        .regex(/^\d{1,15}$/, 'must be the id of an event that you received: a whole number, 0 or more')
        .optional(),
    }),
    answer: z.object({ events: z.array(envelope), next: z.number().optional() }),
  },
  'executions.result': {
    method: 'GET',
    path: `${id}/result`,
    role: 'viewer',
    summary:
      'Returns the result of the execution or of a step; load=false returns references instead of stored values',
    query: z.strictObject({ step, load: flag.optional() }),
    answer: z.object({
      execution_id: z.string(),
      step: z.string().optional(),
      status: z.string(),
      result: json,
    }),
  },
  'executions.input': {
    method: 'GET',
    path: `${id}/input`,
    role: 'viewer',
    summary: 'Returns what the tasks of a step received in its last run, without secrets',
    query: z.strictObject({
      step: name,
      iteration: z
        .string()
        .regex(
          /^\d{1,9}(\/\d{1,9}){0,15}$/,
          'must be the index of an iteration, such as 0; of nested loops 0/0',
        )
        .optional()
        .describe('for a loop: the index, from 0; for nested loops, one index per loop, such as 2/0'),
    }),
    answer: z.object({
      step: z.string(),
      args: json,
      tasks: z
        .array(z.object({ label: z.string(), kind: z.string(), input: json }))
        .describe('the tasks that have begun; values over 100 KB are references'),
      note: z.string().optional().describe('what may differ from what the task received, and why'),
    }),
  },
  'executions.logs': {
    method: 'GET',
    path: `${id}/logs`,
    role: 'viewer',
    summary:
      'Returns what tasks wrote, from either end; with Accept: text/event-stream, streams it as it comes',
    query: z
      .strictObject({
        from: cursor.optional().describe('only lines after this cursor'),
        before: cursor.optional().describe('the last lines before this cursor'),
        tail: pageLimit.optional().describe('the number of lines to return, from the end'),
        limit: pageLimit.optional(),
        step,
        stream: z.enum(STREAMS).optional(),
        q: z.string().min(1).max(500).optional().describe('text that a line contains, ignoring case'),
        wait_ms: waitMs.optional(),
      })
      .refine(
        (query) => [query.from, query.before, query.tail].filter((one) => one !== undefined).length <= 1,
        {
          message: 'send only one of from, before and tail',
        },
      ),
    headers: z.object({ 'last-event-id': cursor.optional() }),
    answer: z.object({
      lines: z.array(
        z.object({
          at: z.string(),
          step: z.string(),
          job_id: z.string(),
          task_run_id: z.string(),
          stream: z.enum(STREAMS),
          text: z.string(),
          cursor: z.string().describe('as `from`: what follows the line; as `before`: what precedes it'),
        }),
      ),
      next: z.string().describe('cursor: as `from`, the lines that follow'),
      previous: z
        .string()
        .optional()
        .describe('cursor: as `before`, the lines that precede; absent if there are none'),
    }),
  },
  'executions.source': {
    method: 'GET',
    path: `${id}/source`,
    role: 'viewer',
    summary:
      'Returns the document as it was when the execution started, the lines of its steps, and where it failed',
    answer: z.object({
      file: z.string().optional(),
      text: z.string(),
      language: z.enum(['yaml', 'woofnb']),
      steps: z
        .record(z.string(), z.object({ line: z.number(), end_line: z.number() }))
        .describe('the first and last line of each step, counted from 1'),
      error: z
        .object({
          step: z.string().optional(),
          line: z.number(),
          column: z.number().optional(),
          end_column: z.number().optional(),
          message: z.string(),
        })
        .optional()
        .describe('where the execution failed'),
    }),
  },
  'executions.report': {
    method: 'GET',
    path: `${id}/report`,
    role: 'viewer',
    summary: 'Returns an HTML file that replays the execution, as woof build makes it',
  },
  'executions.why': {
    method: 'GET',
    path: `${id}/why`,
    role: 'viewer',
    summary: 'Explains why the execution failed, is waiting or skipped a step',
    query: z.strictObject({ step }),
    answer: z.object({
      execution_id: z.string(),
      status: z.enum(STATUSES),
      reasons: z.array(
        z.object({ step: z.string(), id: z.string(), kind: z.enum(REASON_KINDS), reason: z.string() }),
      ),
    }),
  },
  'executions.jobs': {
    method: 'GET',
    path: `${id}/jobs`,
    role: 'viewer',
    summary: 'Lists the jobs of an execution, including those that ended',
    query: z.strictObject({
      after: jobId.optional().describe('cursor: `next` of the previous page'),
      limit: limit.optional(),
    }),
    answer: z.object({ jobs: z.array(job), next: z.string().optional() }),
  },
  'executions.step-runs': {
    method: 'GET',
    path: `${id}/step-runs`,
    role: 'viewer',
    summary: 'Lists every run of every step',
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
    method: 'POST',
    path: `${id}/cancel`,
    role: 'operator',
    summary: 'Cancels the execution',
    body: z.strictObject({ reason: z.string().max(1000).optional() }).optional(),
    answer: commanded,
  },
  'executions.pause': {
    method: 'POST',
    path: `${id}/pause`,
    role: 'operator',
    summary: 'Pauses the execution: running tasks finish and nothing new starts',
    answer: commanded,
  },
  'executions.resume': {
    method: 'POST',
    path: `${id}/resume`,
    role: 'operator',
    summary: 'Continues a paused execution',
    answer: commanded,
  },
  'executions.approve': {
    method: 'POST',
    path: `${id}/approve`,
    role: 'operator',
    summary: 'Approves a step that is waiting for approval',
    body: z.strictObject({
      step: name,
      note: z.string().max(4000).optional(),
      override: z.literal(true).optional().describe('approve a step that the safety policy blocks'),
    }),
    answer: commanded,
  },
  'executions.reject': {
    method: 'POST',
    path: `${id}/reject`,
    role: 'operator',
    summary: 'Rejects a step that is waiting for approval; the step fails',
    body: z.strictObject({ step: name, note: z.string().max(4000).optional() }),
    answer: commanded,
  },
  'executions.rerun': {
    method: 'POST',
    path: `${id}/rerun`,
    role: 'operator',
    status: 201,
    hasDryRun: true,
    summary: 'Starts a new execution that reuses the steps that succeeded; dry_run returns which',
    headers: z.object({ 'idempotency-key': z.string().min(1).max(200).optional() }),
    body: z
      .strictObject({
        from: name.optional().describe('run this step again, and every step that follows from it'),
        payload: object.optional().describe('values that override the workload of the execution'),
        version: z
          .string()
          .max(64)
          .optional()
          .describe('a registered version of its document (default: the one that ran)'),
        dry_run: z
          .boolean()
          .optional()
          .describe('only return which steps would be reused and which would run'),
      })
      .optional(),
    answer: z.union([
      started,
      z.object({
        reused: z.array(stepReason),
        runs: z.array(stepReason).describe('in the order of the document'),
        problems: z.array(z.string()).describe('why it cannot be started'),
      }),
    ]),
  },
} as const;
