/**
 * One question to a language model. The text goes to the log as it arrives, and as a whole into the result. `meta` has
 * the number of tokens. A stream that breaks, or ends without saying so, is an error: half an answer does not count.
 */
import {
  decodeJson,
  failure,
  isObject,
  type Json,
  type JsonObject,
  type Outcome,
  sizeFailure,
} from '@woof/net';
import { Deadline } from '../deadline.ts';
import { HttpExchange, type HttpReply } from '../http/http-exchange.ts';
import { networkFailure, shown, statusFailure } from '../http/http-failure.ts';
import { abortOutcome, settle } from '../settle.ts';
import type { Tool, ToolCall, ToolContext } from '../tool.ts';
import { eventsOf, LlmAnswer, LlmFault } from './llm-answer.ts';
import { type LlmRequest, toLlmRequest } from './llm-request.ts';
import { llmSchema } from './llm-schema.ts';

const MAX_BYTES = 16 * 1024 * 1024;

class TooLong extends Error {}

export function createLlmTool(): Tool {
  const exchange = new HttpExchange();
  return {
    schema: llmSchema,
    run: (call, context) => settle('llm', context.signal, () => perform(call, context, exchange)),
    close: () => exchange.close(),
  };
}

async function perform(call: ToolCall, context: ToolContext, exchange: HttpExchange): Promise<Outcome> {
  const wanted = toLlmRequest(call);
  const deadline = new Deadline(context.signal, wanted.seconds);
  try {
    const reply = await exchange.send(wanted.request, deadline);
    if (reply.status < 200 || reply.status > 299) return await refused(wanted, reply, context.now());
    return answered(wanted, await listen(reply, context));
  } catch (error) {
    if (context.signal.aborted) return abortOutcome(context.signal);
    const place = shown(wanted.request);
    if (deadline.passed)
      return failure('timeout', `llm ${place}: no complete response within ${wanted.seconds} s`);
    if (error instanceof LlmFault) return failure('server_error', `llm ${place}: ${error.message}`);
    if (error instanceof TooLong)
      return sizeFailure(`llm ${place}: the response is larger than ${MAX_BYTES} bytes`);
    if (error instanceof SyntaxError)
      return failure('parse', `llm ${place}: the response is not JSON: ${error.message}`);
    return networkFailure(wanted.request, error);
  } finally {
    deadline.clear();
  }
}

async function listen(reply: HttpReply, context: ToolContext): Promise<LlmAnswer> {
  const answer = new LlmAnswer();
  const body = bounded(reply.body);
  if (!String(reply.headers['content-type'] ?? '').includes('text/event-stream')) {
    answer.take(decodeJson(await textOf(body)));
    if (answer.text !== '') context.log('stdout', `${answer.text}\n`);
    return answer;
  }
  let isDone = false;
  try {
    for await (const event of eventsOf(body)) {
      if (event.trim() === '[DONE]') {
        isDone = true;
        break;
      }
      const text = answer.take(decodeJson(event));
      if (text !== '') context.log('stdout', text);
    }
  } finally {
    // The last line of the log must end too, however the answer ended.
    if (answer.text !== '') context.log('stdout', '\n');
  }
  if (!isDone && answer.finishReason === undefined) {
    throw Object.assign(new Error('the stream ended in the middle of the response'), {
      code: 'UND_ERR_SOCKET',
    });
  }
  return answer;
}

function answered({ wantsJson, model }: LlmRequest, answer: LlmAnswer): Outcome {
  const { text, finishReason, usage, toolCalls } = answer;
  const result: JsonObject = { text, finish_reason: finishReason ?? null, model: answer.model ?? model };
  if (toolCalls.length > 0) result.tool_calls = toolCalls;
  if (usage) result.usage = usage;
  const meta = { tokens: tokensOf(usage) };
  if (!wantsJson || toolCalls.length > 0) return { status: 'ok', result, meta };
  try {
    return { status: 'ok', result: { ...result, data: decodeJson(text) }, meta };
  } catch (error) {
    const why = finishReason === 'length' ? 'it was cut off; raise max_tokens' : (error as Error).message;
    return {
      ...failure('parse', `llm: the model's text is not the JSON that the task asked for: ${why}`),
      result,
      meta,
    };
  }
}

function tokensOf(usage: JsonObject | undefined): JsonObject {
  const count = (value: Json | undefined) => (typeof value === 'number' ? value : null);
  return {
    input: count(usage?.prompt_tokens),
    output: count(usage?.completion_tokens),
    total: count(usage?.total_tokens),
  };
}

async function refused({ request }: LlmRequest, reply: HttpReply, now: number): Promise<Outcome> {
  const outcome = statusFailure(request, reply, now);
  const text = await textOf(bounded(reply.body));
  const error = outcome.error!;
  const { message, code } = complaintOf(text);
  return {
    ...outcome,
    error: {
      ...error,
      message: `llm ${error.message}${message ? `: ${message}` : ''}`,
      ...(code ? { code } : {}),
    },
    http: { status: reply.status, headers: reply.headers as JsonObject },
  };
}

function complaintOf(text: string): { message: string; code: string } {
  try {
    const body = decodeJson(text);
    const error = isObject(body) && isObject(body.error) ? body.error : {};
    return {
      message: typeof error.message === 'string' ? error.message.slice(0, 500) : '',
      code: typeof error.code === 'string' ? error.code : '',
    };
  } catch {
    return { message: text.slice(0, 200).trim(), code: '' };
  }
}

async function* bounded(source: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const part of source) {
    size += (part as Uint8Array).length;
    if (size > MAX_BYTES) throw new TooLong();
    yield part as Uint8Array;
  }
}

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}
