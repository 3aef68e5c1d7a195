import { CATCH_UPS, OVERLAPS } from '@woof/net';
import { z } from 'zod';
import { grants } from './executions.ts';
import { limit, object, path } from './fields.ts';

/** A path of the catalogue with dots, and a name. */
const scheduleId = z.string().regex(/^[\w.-]{1,400}$/);
const time = z.number().describe('milliseconds since 1970');

const pastTime = z.number().int().min(0).max(8_640_000_000_000_000);

const spec = {
  path: path.describe('a registered document; its newest version runs'),
  cron: z.string().max(200).describe('minute hour day month weekday, or @hourly, @daily, …'),
  timezone: z.string().max(100).optional().describe('time zone of the cron expression (default: UTC)'),
  catch_up: z
    .enum(CATCH_UPS)
    .optional()
    .describe('for start times that were missed while no server was running (default: skip)'),
  overlap: z
    .enum(OVERLAPS)
    .optional()
    .describe('for a start time that comes while an earlier run is active (default: skip)'),
  payload: object.optional(),
  allow: grants.optional(),
  priority: z.number().int().min(-1000).max(1000).optional(),
  paused: z.boolean().optional(),
};

const run = z.object({
  due_at: time,
  execution_id: z.string(),
  state: z.enum(['starting', 'started', 'ended', 'queued', 'skipped', 'missed', 'failed']),
  status: z.string().optional().describe('status of the execution'),
  manual: z.boolean().optional(),
  note: z.string().optional(),
});

export const schedule = z.object({
  schedule_id: z.string(),
  path: z.string(),
  document: z
    .object({ version: z.string(), registered_at: time })
    .optional()
    .describe('the document version that declares it; absent if a person created it'),
  cron: z.string(),
  timezone: z.string(),
  catch_up: z.string(),
  overlap: z.string(),
  payload: object,
  allow: object.optional(),
  priority: z.number().optional(),
  paused: z.boolean(),
  created_at: time,
  next: z.array(time).describe('next start times; empty while the schedule is paused'),
  runs: z.array(run).describe('newest first'),
});

const one = '/v1/schedules/:id';

export const scheduleCalls = {
  'schedules.create': {
    method: 'POST',
    path: '/v1/schedules',
    role: 'operator',
    status: 201,
    summary: 'Creates a schedule for a registered document',
    body: z.strictObject({ schedule_id: scheduleId, ...spec }),
    answer: schedule,
  },
  'schedules.list': {
    method: 'GET',
    path: '/v1/schedules',
    role: 'viewer',
    summary: 'Lists schedules with their next start times',
    query: z.strictObject({ after: scheduleId.optional(), limit: limit.optional() }),
    answer: z.object({ schedules: z.array(schedule), next: z.string().optional() }),
  },
  'schedules.get': {
    method: 'GET',
    path: one,
    role: 'viewer',
    summary: 'Returns a schedule, its next start times and its latest runs',
    answer: schedule,
  },
  'schedules.update': {
    method: 'PUT',
    path: one,
    role: 'operator',
    summary: 'Changes a schedule; its runs are kept',
    body: z.strictObject(spec),
    answer: schedule,
  },
  'schedules.remove': {
    method: 'DELETE',
    path: one,
    role: 'operator',
    status: 204,
    summary: 'Removes a schedule; its runs are kept',
  },
  'schedules.pause': {
    method: 'POST',
    path: `${one}/pause`,
    role: 'operator',
    summary: 'Pauses a schedule: its start times pass without a run',
    answer: schedule,
  },
  'schedules.resume': {
    method: 'POST',
    path: `${one}/resume`,
    role: 'operator',
    summary: 'Continues a paused schedule',
    answer: schedule,
  },
  'schedules.run': {
    method: 'POST',
    path: `${one}/run`,
    role: 'operator',
    status: 201,
    summary: 'Starts a run immediately, even if another is active',
    answer: run,
  },
  'schedules.backfill': {
    method: 'POST',
    path: `${one}/backfill`,
    role: 'operator',
    status: 202,
    hasDryRun: true,
    summary: 'Starts the runs of past start times that have none; dry_run returns only the times',
    body: z.strictObject({
      since: pastTime.describe('the first start time, in milliseconds since 1970'),
      until: pastTime.describe('the last start time; not in the future'),
      dry_run: z.boolean().optional().describe('only return the start times'),
    }),
    answer: z.object({
      times: z.array(time).optional().describe('for a dry run: the times that would start a run'),
      started: z.array(z.object({ execution_id: z.string(), scheduled_at: time })).optional(),
    }),
  },
} as const;
