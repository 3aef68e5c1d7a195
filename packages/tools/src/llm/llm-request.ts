/** From a task's fields to one request: pure. */
import { isObject, type Json, type JsonObject } from '@woof/net';
import { booleanField, FieldFault, fault, given, numberField, objectField, textField } from '../fields.ts';
import { type HttpRequest, toRequest } from '../http/http-request.ts';
import type { ToolCall } from '../tool.ts';

export interface LlmRequest {
  request: HttpRequest;
  model: string;
  /** The text must be JSON. */
  wantsJson: boolean;
  seconds: number | undefined;
}

const PASSED = ['headers', 'auth', 'verify_ssl'];

export function toLlmRequest(call: ToolCall): LlmRequest {
  const { input, spec } = call;
  const model = textField(input, 'model');
  if (!model) throw new FieldFault('"model" is missing: name the model');
  const base = textField(input, 'base_url') ?? 'https://api.openai.com/v1';
  const format = formatOf(input.response_format);
  const stream = booleanField(input, 'stream') ?? true;
  const temperature = numberField(input, 'temperature');
  const maxTokens = numberField(input, 'max_tokens', 1);
  const json: JsonObject = {
    ...objectField(input, 'options'),
    model,
    messages: messagesOf(input),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(format === undefined ? {} : { response_format: format }),
    ...(given(input, 'tools') ? { tools: input.tools as Json } : {}),
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
  const passed = PASSED.filter((name) => given(input, name)).map((name) => [name, input[name] as Json]);
  const url = `${base.replace(/\/$/, '')}/chat/completions`;
  const fields: JsonObject = { ...Object.fromEntries(passed), method: 'POST', url, json };
  return {
    request: toRequest({ ...call, input: fields }),
    model,
    wantsJson: format !== undefined && format.type !== 'text',
    seconds: numberField(input, 'timeout') ?? numberField(spec, 'timeout'),
  };
}

function messagesOf(input: JsonObject): Json[] {
  const given = input.messages ?? [];
  if (!Array.isArray(given)) throw fault('messages', 'a list of {role, content}', given);
  for (const [index, message] of given.entries()) {
    if (!isObject(message) || typeof message.role !== 'string') {
      throw fault(`messages[${index}]`, 'a map with role and content', message);
    }
  }
  const system = textField(input, 'system');
  const prompt = textField(input, 'prompt');
  const all = [
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    ...given,
    ...(prompt === undefined ? [] : [{ role: 'user', content: prompt }]),
  ];
  if (all.length === 0) throw new FieldFault('"messages" is missing: write messages or a prompt');
  return all;
}

function formatOf(value: Json | undefined): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === 'json') return { type: 'json_object' };
  if (isObject(value)) return value;
  throw fault('response_format', 'json, or a map', value);
}
