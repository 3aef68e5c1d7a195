/** The arguments and results of each call. */
import { z } from 'zod';
import { accessSchemas } from './access.ts';
import { documentSchemas } from './documents.ts';
import { executionSchemas, row } from './executions.ts';
import { object } from './fields.ts';
import { observeSchemas } from './observe.ts';
import type { RouteName } from './routes.ts';
import { scheduleSchemas } from './schedules.ts';
import { workSchemas } from './work.ts';
import { workerSchemas } from './workers.ts';

export interface CallSchemas {
  query?: z.ZodType;
  headers?: z.ZodType;
  body?: z.ZodType;
  answer?: z.ZodType;
}

export const SCHEMAS = {
  'health.live': { answer: z.object({ status: z.literal('ok') }) },
  'health.ready': { answer: z.object({ status: z.literal('ready') }) },
  'openapi.get': { answer: object },
  'docs.page': {},
  'plans.get': { answer: object },
  'blobs.add': { answer: z.object({ sha256: z.string(), size: z.number() }) },
  'blobs.get': {},
  'blobs.put': {},
  ...accessSchemas,
  ...documentSchemas,
  ...executionSchemas,
  'changes.stream': {
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
