/**
 * A GraphQL operation is an HTTP exchange whose reply has `data`, `errors` or both. An error in the reply is an error
 * outcome, whatever the status. It includes the result, so that a rule may use the partial data.
 */
import {
  decodeJson,
  type ErrorKind,
  failure,
  isObject,
  isReference,
  type Json,
  type JsonObject,
  type Outcome,
  type Reference,
  sizeFailure,
} from '@woof/net';
import { FieldFault, given, objectField, textField } from '../fields.ts';
import { createHttpTool } from '../http/http-tool.ts';
import { settle } from '../settle.ts';
import type { Blobs, Tool, ToolCall, ToolContext } from '../tool.ts';
import { graphqlSchema } from './graphql-schema.ts';
import { nextCursor } from './next-cursor.ts';

/** The reply must fit into memory several times. */
const MOST_BYTES = 64 * 1024 * 1024;
const PASSED = ['url', 'endpoint', 'headers', 'auth', 'timeout', 'verify_ssl'];

export function createGraphqlTool(): Tool {
  const http = createHttpTool();
  return {
    schema: graphqlSchema,
    run: (call, context) => settle('graphql', context.signal, () => perform(call, context, http)),
    close: async () => http.close?.(),
  };
}

async function perform(call: ToolCall, context: ToolContext, http: Tool): Promise<Outcome> {
  const pagePath = textField(call.input, 'page_path');
  const outcome = (await http.run({ ...call, input: toHttp(call.input) }, context)) as Outcome;
  const answered = isObject(outcome.result) ? outcome.result.data : undefined;
  if (isReference(answered) && answered.size > MOST_BYTES) return tooLarge(answered.size);
  const body = isReference(answered) ? await parsed(answered, context.blobs) : answered;
  const reply = isObject(body) && ('data' in body || 'errors' in body) ? body : undefined;
  const more = outcome.http ? { http: outcome.http } : {};
  if (reply === undefined) return outcome.status === 'ok' ? { ...noReply(), ...more } : renamed(outcome);
  const result: JsonObject = { data: reply.data ?? null };
  if (reply.extensions !== undefined) result.extensions = reply.extensions;
  const { cursor, note } = nextCursor(result.data as Json, pagePath);
  if (cursor !== undefined) result.next_cursor = cursor;
  if (note !== undefined) context.log('stderr', `graphql: ${note}\n`);
  const errors = Array.isArray(reply.errors) ? reply.errors : [];
  if (errors.length === 0)
    return outcome.status === 'ok' ? { status: 'ok', result, ...more } : renamed(outcome);
  return { ...refused(errors, outcome), result: { ...result, errors }, ...more };
}

/** For a large body, `http` returns a reference, but its content decides the outcome. */
async function parsed(reference: Reference, blobs: Blobs): Promise<Json | undefined> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of blobs.get(reference)) chunks.push(chunk);
  try {
    return decodeJson(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

const tooLarge = (size: number): Outcome =>
  sizeFailure(
    `graphql: the response is ${size} bytes, and the limit is ${MOST_BYTES}; request less at a time`,
  );

function toHttp(input: JsonObject): JsonObject {
  const query = textField(input, 'query');
  if (!query?.trim()) throw new FieldFault('"query" is missing: write a GraphQL document');
  const operationName = textField(input, 'operation_name');
  const fields = PASSED.filter((name) => given(input, name)).map((name) => [name, input[name] as Json]);
  const json: JsonObject = { query, variables: objectField(input, 'variables') ?? {} };
  if (operationName !== undefined) json.operationName = operationName;
  const headers = {
    accept: 'application/graphql-response+json, application/json',
    ...objectField(input, 'headers'),
  };
  return { ...Object.fromEntries(fields), method: 'POST', headers, json };
}

/** By `extensions.code`, as common servers set it. */
const KINDS: Record<string, ErrorKind> = {
  UNAUTHENTICATED: 'auth',
  FORBIDDEN: 'auth',
  NOT_FOUND: 'not_found',
  RATE_LIMITED: 'rate_limit',
  THROTTLED: 'rate_limit',
  INTERNAL_SERVER_ERROR: 'server_error',
};

function refused(errors: Json[], { error }: Outcome): Outcome {
  const first = isObject(errors[0]) ? errors[0] : {};
  const code =
    isObject(first.extensions) && typeof first.extensions.code === 'string' ? first.extensions.code : '';
  const kind = KINDS[code] ?? error?.kind ?? 'client_error';
  const path = Array.isArray(first.path) ? ` at ${first.path.join('.')}` : '';
  const others = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return failure(kind, `graphql: ${String(first.message ?? 'an error without a message')}${path}${others}`, {
    ...(code === '' ? {} : { code }),
    ...(error?.http_status === undefined ? {} : { http_status: error.http_status }),
    ...(error?.retry_after === undefined ? {} : { retry_after: error.retry_after }),
  });
}

function noReply(): Outcome {
  return failure(
    'parse',
    'graphql: the response has neither "data" nor "errors"; is this a GraphQL service?',
  );
}

function renamed(outcome: Outcome): Outcome {
  if (!outcome.error) return outcome;
  const message = outcome.error.message.replace(/^(http: )?/, 'graphql: ');
  return { ...outcome, error: { ...outcome.error, message } };
}
