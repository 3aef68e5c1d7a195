/**
 * One HTTP exchange per task, without retries of its own.
 *
 * The timeout of the whole request covers redirects and the body. A non-2xx reply is an error outcome that still
 * carries `http` and the body.
 */
import { failure, type JsonObject, type Outcome } from '@woof/net';
import { Deadline } from '../deadline.ts';
import { abortOutcome, faultOutcome } from '../settle.ts';
import type { Tool, ToolCall, ToolContext } from '../tool.ts';
import { type HttpBody, readBody } from './http-body.ts';
import { HttpExchange, type HttpReply } from './http-exchange.ts';
import { networkFailure, shown, statusFailure } from './http-failure.ts';
import { type HttpRequest, toRequest } from './http-request.ts';
import { httpSchema } from './http-schema.ts';
import { nextPage } from './next-page.ts';

export function createHttpTool(): Tool {
  const exchange = new HttpExchange();
  return {
    schema: httpSchema,
    run: (call, context) => perform(call, context, exchange),
    close: () => exchange.close(),
  };
}

async function perform(call: ToolCall, context: ToolContext, exchange: HttpExchange): Promise<Outcome> {
  let wanted: HttpRequest;
  try {
    wanted = toRequest(call);
  } catch (error) {
    return faultOutcome('http', context.signal, error);
  }
  const deadline =
    wanted.totalMs === undefined ? undefined : new Deadline(context.signal, wanted.totalMs / 1000);
  try {
    const started = performance.now();
    const reply = await exchange.send(wanted, deadline ?? context);
    const reading = readBody(reply, context.blobs, wanted.maxBytes);
    const body = reading instanceof Promise ? await reading : reading;
    return outcomeOf(wanted, reply, body, started, context.now);
  } catch (error) {
    if (context.signal.aborted) return abortOutcome(context.signal);
    if (deadline?.passed) return late(wanted);
    return networkFailure(wanted, error);
  } finally {
    deadline?.clear();
  }
}

function outcomeOf(
  wanted: HttpRequest,
  reply: HttpReply,
  { data, malformed }: HttpBody,
  started: number,
  now: () => number,
): Outcome {
  const elapsed = Math.round(performance.now() - started) / 1000;
  const headers = reply.headers as JsonObject;
  const next = nextPage(reply.headers, reply.url);
  const result: JsonObject = { status_code: reply.status, headers, url: reply.url.href, elapsed, data };
  if (next !== undefined) result.next_url = next;
  const http = { status: reply.status, headers, request_id: requestId(reply) };
  const error = errorOf(wanted, reply, malformed, now);
  return error ? { status: 'error', error, result, http } : { status: 'ok', result, http };
}

function errorOf(
  wanted: HttpRequest,
  reply: HttpReply,
  malformed: string | undefined,
  now: () => number,
): Outcome['error'] {
  if (reply.status < 200 || reply.status > 299) return statusFailure(wanted, reply, now()).error;
  if (malformed === undefined) return undefined;
  return failure(
    'parse',
    `${shown(wanted)}: the content type says JSON, but the body is not JSON: ${malformed}`,
  ).error;
}

function late(wanted: HttpRequest): Outcome {
  return failure(
    'timeout',
    `${shown(wanted)}: no complete response within ${(wanted.totalMs ?? 0) / 1000} s`,
  );
}

const REQUEST_IDS = [
  'x-request-id',
  'request-id',
  'x-amzn-requestid',
  'x-correlation-id',
  'x-trace-id',
  'cf-ray',
];

function requestId(reply: HttpReply): string | null {
  for (const name of REQUEST_IDS) {
    const value = reply.headers[name];
    if (typeof value === 'string') return value;
  }
  return null;
}
