/** What each call does, takes and returns. Clients need only the types. */
import { z } from 'zod';
import type { RouteName } from '../routes.ts';
import { accessSchemas } from './access.ts';
import { documentSchemas } from './documents.ts';
import { executionSchemas, row } from './executions.ts';
import { object } from './fields.ts';
import { observeSchemas } from './observe.ts';
import { scheduleSchemas } from './schedules.ts';
import { workSchemas } from './work.ts';
import { workerSchemas } from './workers.ts';

export interface CallSchemas {
  /** What the call does, for OpenAPI. */
  summary: string;
  query?: z.ZodType;
  headers?: z.ZodType;
  body?: z.ZodType;
  answer?: z.ZodType;
}

export const SCHEMAS = {
  'health.live': {
    summary: 'Reports whether the process answers',
    answer: z.object({ status: z.literal('ok') }),
  },
  'health.ready': {
    summary: 'Reports whether the server can work: the store accepts writes and the server is not stopping',
    answer: z.object({ status: z.literal('ready') }),
  },
  'openapi.get': {
    summary: 'Returns the OpenAPI description of all calls',
    answer: object,
  },
  'docs.page': { summary: 'Returns a page where you can try the calls' },
  'plans.get': {
    summary: 'Returns a plan',
    answer: object,
  },
  'blobs.add': {
    summary: 'Stores a value and returns its hash',
    answer: z.object({ sha256: z.string(), size: z.number() }),
  },
  'blobs.get': { summary: 'Streams a stored value' },
  'blobs.put': { summary: 'Stores a value whose bytes have that hash' },
  ...accessSchemas,
  ...documentSchemas,
  ...executionSchemas,
  'changes.stream': {
    summary: 'Streams the rows of executions as they change (Accept: text/event-stream)',
    headers: z.object({ 'last-event-id': z.string().max(200).optional() }),
    answer: z.object({ rows: z.array(row) }).describe('the data of one event'),
  },
  ...scheduleSchemas,
  ...observeSchemas,
  ...workSchemas,
  ...workerSchemas,
} as const satisfies Record<RouteName, CallSchemas>;

type Schemas = typeof SCHEMAS;
type Input<S, K extends string> = S extends { [key in K]: infer Z extends z.ZodType }
  ? z.input<Z>
  : undefined;
type Output<S, K extends string> = S extends { [key in K]: infer Z extends z.ZodType }
  ? z.output<Z>
  : undefined;

/** As a client sends it. */
export type QueryOf<N extends RouteName> = Input<Schemas[N], 'query'>;
export type BodyOf<N extends RouteName> = Input<Schemas[N], 'body'>;
/** As a server reads it. */
export type ReadQuery<N extends RouteName> = Output<Schemas[N], 'query'>;
export type ReadHeaders<N extends RouteName> = Output<Schemas[N], 'headers'>;
export type ReadBody<N extends RouteName> = Output<Schemas[N], 'body'>;
export type AnswerOf<N extends RouteName> = Output<Schemas[N], 'answer'>;
