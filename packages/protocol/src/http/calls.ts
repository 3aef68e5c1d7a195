/**
 * Every call that a server answers, by name: its path, who may make it, what it does, takes and returns.
 *
 * Servers register their routes from this table, and OpenAPI, the role matrix, limits and audit derive from it. Clients
 * need only the types, and the method, path and role of each call (`../routes.ts`).
 */
import { z } from 'zod';
import type { Role } from '../roles.ts';
import { accessCalls } from './access.ts';
import { documentCalls } from './documents.ts';
import { executionCalls, row } from './executions.ts';
import { object } from './fields.ts';
import { observeCalls } from './observe.ts';
import { scheduleCalls } from './schedules.ts';
import { workCalls } from './work.ts';
import { workerCalls } from './workers.ts';

export interface CallDescription {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `:name` stands for one segment. */
  path: `/${string}`;
  /** The minimum role; `anyone` needs no token. An admin may do everything. */
  role: Role | 'anyone';
  /** Workers may call it too. */
  worker?: true;
  /** Exempt from rate limiting: monitoring calls it, and it costs nothing. */
  unlimited?: true;
  /** The status of a successful answer, if it is not 200. */
  status?: 201 | 202 | 204;
  /** Not audited: it changes nothing, or it is called too often. */
  silent?: true;
  /** With `dry_run` in its body, it changes nothing and is not audited. */
  hasDryRun?: true;
  /** What the call does, for OpenAPI. */
  summary: string;
  query?: z.ZodType;
  headers?: z.ZodType;
  body?: z.ZodType;
  answer?: z.ZodType;
}

export const CALLS = {
  'health.live': {
    method: 'GET',
    path: '/healthz',
    role: 'anyone',
    unlimited: true,
    summary: 'Reports whether the process answers',
    answer: z.object({ status: z.literal('ok') }),
  },
  'health.ready': {
    method: 'GET',
    path: '/readyz',
    role: 'anyone',
    unlimited: true,
    summary: 'Reports whether the server can work: the store accepts writes and the server is not stopping',
    answer: z.object({ status: z.literal('ready') }),
  },
  'openapi.get': {
    method: 'GET',
    path: '/openapi.json',
    role: 'anyone',
    summary: 'Returns the OpenAPI description of all calls',
    answer: object,
  },
  'docs.page': {
    method: 'GET',
    path: '/docs/api',
    role: 'anyone',
    summary: 'Returns a page where you can try the calls',
  },
  'plans.get': {
    method: 'GET',
    path: '/v1/plans/:hash',
    role: 'viewer',
    worker: true,
    summary: 'Returns a plan',
    answer: object,
  },
  'blobs.add': {
    method: 'POST',
    path: '/v1/blobs',
    role: 'operator',
    worker: true,
    status: 201,
    silent: true,
    summary: 'Stores a value and returns its hash',
    answer: z.object({ sha256: z.string(), size: z.number() }),
  },
  'blobs.get': {
    method: 'GET',
    path: '/v1/blobs/:sha256',
    role: 'viewer',
    worker: true,
    summary: 'Streams a stored value',
  },
  'blobs.put': {
    method: 'PUT',
    path: '/v1/blobs/:sha256',
    role: 'operator',
    worker: true,
    status: 204,
    silent: true,
    summary: 'Stores a value whose bytes have that hash',
  },
  ...accessCalls,
  ...documentCalls,
  ...executionCalls,
  'changes.stream': {
    method: 'GET',
    path: '/v1/changes',
    role: 'viewer',
    summary: 'Streams the rows of executions as they change (Accept: text/event-stream)',
    headers: z.object({ 'last-event-id': z.string().max(200).optional() }),
    answer: z.object({ rows: z.array(row) }).describe('the data of one event'),
  },
  ...scheduleCalls,
  ...observeCalls,
  ...workCalls,
  ...workerCalls,
} as const satisfies Record<string, CallDescription>;

export type RouteName = keyof typeof CALLS;

type Calls = typeof CALLS;
type Input<S, K extends string> = S extends { [key in K]: infer Z extends z.ZodType }
  ? z.input<Z>
  : undefined;
type Output<S, K extends string> = S extends { [key in K]: infer Z extends z.ZodType }
  ? z.output<Z>
  : undefined;

/** As a client sends it. */
export type QueryOf<N extends RouteName> = Input<Calls[N], 'query'>;
export type BodyOf<N extends RouteName> = Input<Calls[N], 'body'>;
/** As a server reads it. */
export type ReadQuery<N extends RouteName> = Output<Calls[N], 'query'>;
export type ReadHeaders<N extends RouteName> = Output<Calls[N], 'headers'>;
export type ReadBody<N extends RouteName> = Output<Calls[N], 'body'>;
export type AnswerOf<N extends RouteName> = Output<Calls[N], 'answer'>;
