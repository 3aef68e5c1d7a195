/** OpenAPI 3.1 from the table of calls. */
import type { JsonObject } from '@woof/net';
import { PROBLEMS, type RouteName } from '@woof/protocol';
import { CALLS, type CallDescription } from '@woof/protocol/http';
import { z } from 'zod';
import { NOTEBOOK_TYPE } from './notebook-media.ts';

export function openapi(version: string): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, call] of Object.entries(CALLS) as [RouteName, CallDescription][]) {
    const path = call.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: operation(name, call) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Woof', version, description: 'Workflows that people and agents can read.' },
    paths: paths as JsonObject,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'woof_<id>_<secret>' } },
      schemas: { Problem: PROBLEM as JsonObject },
    },
  };
}

const BYTES = { schema: {} };
const TEXT = { schema: { type: 'string' } };

/** Bodies and responses that are not JSON, in addition to those that are. */
const TAKEN: Partial<Record<RouteName, JsonObject>> = {
  'documents.register': { [NOTEBOOK_TYPE]: TEXT },
  'documents.lint': { [NOTEBOOK_TYPE]: TEXT },
  'executions.start': { [NOTEBOOK_TYPE]: TEXT },
  'blobs.add': { 'application/octet-stream': BYTES },
  'blobs.put': { 'application/octet-stream': BYTES },
};
const GIVEN: Partial<Record<RouteName, JsonObject>> = {
  'documents.get': { [NOTEBOOK_TYPE]: TEXT },
  'blobs.get': { 'application/octet-stream': BYTES },
  'docs.page': { 'text/html': TEXT },
  'metrics.get': { 'text/plain': TEXT },
  'executions.events': { 'text/event-stream': TEXT },
  'changes.stream': { 'text/event-stream': TEXT },
};

function operation(name: RouteName, call: CallDescription): JsonObject {
  const { summary, query, headers, body, answer } = call;
  const given = { ...json(answer, 'output'), ...GIVEN[name] };
  const taken = { ...json(body, 'input'), ...TAKEN[name] };
  const [isGiven, isTaken] = [given, taken].map((content) => Object.keys(content).length > 0);
  const status = String(call.status ?? (isGiven ? 200 : 204));
  return {
    operationId: name,
    summary,
    tags: [name.split('.')[0]!],
    ...(call.role === 'anyone' ? {} : { security: [{ token: [] }], 'x-woof-role': rolesOf(call) }),
    parameters: [
      ...[...call.path.matchAll(/:(\w+)/g)].map(([, param]) =>
        parameter('path', param!, { type: 'string' }, true),
      ),
      ...fields('query', query),
      ...fields('header', headers),
    ],
    ...(isTaken ? { requestBody: { required: !body?.isOptional(), content: taken } } : {}),
    responses: {
      [status]: { description: summary, ...(isGiven ? { content: given } : {}) },
      default: REFUSAL as JsonObject,
    },
  };
}

function json(schema: z.ZodType | undefined, io: 'input' | 'output'): JsonObject {
  return schema ? { 'application/json': { schema: toSchema(schema, io) } } : {};
}

/** The minimum role, and workers if they are allowed too. */
function rolesOf({ role, worker }: CallDescription): string {
  return worker ? `${role} or worker` : role;
}

function fields(place: string, schema: z.ZodType | undefined): JsonObject[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = toSchema(schema, 'input') as {
    properties?: Record<string, JsonObject>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, each]) =>
    parameter(place, name, each, required.includes(name)),
  );
}

function parameter(place: string, name: string, schema: JsonObject, required: boolean): JsonObject {
  return { in: place, name, schema, required };
}

function toSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest as JsonObject;
}

const REFUSAL = {
  description: 'refused',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'code', 'detail'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', enum: Object.keys(PROBLEMS) },
    detail: { type: 'string' },
  },
};
