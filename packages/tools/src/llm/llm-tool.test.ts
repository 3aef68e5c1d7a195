import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject, Outcome } from '@woof/net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARY, exerciseTool, toolCall, toolContext } from '../exercise-tool.ts';
import { createLlmTool } from './llm-tool.ts';

interface Asked extends JsonObject {
  model: string;
  messages: JsonObject[];
  stream?: boolean;
}

const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const delta = (content: string, more = {}) => ({ choices: [{ index: 0, delta: { content }, ...more }] });

/** A local endpoint that speaks the protocol. The model's name determines its behaviour. */
function converse(asked: Asked, response: ServerResponse): unknown {
  const json = (status: number, body: unknown, headers = {}) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
  const stream = (events: unknown[], end = 'data: [DONE]\n\n') => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const text = events.map((event) => `: ping\ndata: ${JSON.stringify(event)}\n\n`).join('') + end;
    // In pieces that end anywhere, even inside a character.
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 5) response.write(bytes.subarray(at, at + 5));
    response.end();
  };
  const last = String(asked.messages.at(-1)?.content);
  const said = ['héllo ', last, ' ✓'];
  const message = { role: 'assistant', content: asked.model === 'json' ? '{"a": 1}' : said.join('') };
  const whole = { model: 'echo-1', choices: [{ message, finish_reason: 'stop' }], usage };
  switch (asked.model) {
    case 'echo':
    case 'json':
      if (!asked.stream) return json(200, whole);
      return stream([
        { model: 'echo-1', ...delta('') },
        ...(asked.model === 'json' ? ['{"a"', ': 1}'] : said).map((text) => delta(text)),
        delta('', { finish_reason: 'stop' }),
        { choices: [], usage },
      ]);
    case 'tools':
      return stream([
        {
          choices: [
            { delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'add', arguments: '{"x"' } }] } },
          ],
        },
        {
          choices: [
            {
              delta: { tool_calls: [{ index: 0, function: { arguments: ': 2}' } }] },
              finish_reason: 'tool_calls',
            },
          ],
        },
      ]);
    case 'busy':
      return json(
        429,
        { error: { message: 'slow down', code: 'rate_limit_exceeded' } },
        { 'retry-after': '9' },
      );
    case 'locked':
      return json(401, { error: { message: 'bad key', code: 'invalid_api_key' } });
    case 'absent':
      return json(404, { error: { message: 'no such model', code: 'model_not_found' } });
    case 'broken':
      return stream([delta('half of'), { error: { message: 'the model fell over' } }]);
    case 'cut':
      return stream([delta('half of')], '');
    case 'reset':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(delta('half'))}\n\n`, () => response.destroy());
      return undefined;
    case 'babble':
      return stream([], 'data: {not json\n\n');
    case 'endless': {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const block = `data: ${JSON.stringify(delta('x'.repeat(1_000_000)))}\n\n`;
      const more = () => {
        if (!response.destroyed) response.write(block, more);
      };
      return more();
    }
    default:
      // Hangs.
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.flushHeaders();
  }
}

describe('llm', () => {
  const requests: { asked: Asked; headers: Record<string, unknown> }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += String(part);
    });
    request.on('end', () => {
      const asked = JSON.parse(text) as Asked;
      requests.push({ asked, headers: request.headers });
      converse(asked, response);
    });
  });
  const tool = createLlmTool();
  const place: JsonObject = {};
  const run = (input: JsonObject, context = {}) =>
    tool.run(
      toolCall({ input: { ...place, prompt: 'hi', ...input } }),
      toolContext(context),
    ) as Promise<Outcome>;
  const good: JsonObject = { model: 'echo', prompt: 'hi' };
  const slow: JsonObject = { model: 'hang', prompt: 'hi' };
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    place.base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
    Object.assign(good, place);
    Object.assign(slow, place);
  });
  afterAll(async () => {
    await tool.close?.();
    server.closeAllConnections();
    server.close();
  });

  exerciseTool('llm', {
    make: createLlmTool,
    good: [{ input: good }],
    bad: [
      [{ input: { prompt: 'x' } }, /"model" is missing/],
      [{ input: { model: 'm' } }, /"messages" is missing/],
      [{ input: { model: 'm', messages: ['x'] } }, /"messages\[0\]" must be a map/],
      [{ input: { model: 'm', prompt: 'x', response_format: 5 } }, /"response_format" must be/],
      [{ input: { model: 'm', prompt: 'x', base_url: 'no' } }, /"url" must be/],
    ],
    secret: [
      { input: { base_url: 'http://127.0.0.1:1', model: 'm', prompt: 'p', auth: { bearer: CANARY } } },
      { input: { base_url: `http://u:${CANARY}@127.0.0.1:1`, model: 'm', prompt: 'p' } },
      { input: { base_url: 'http://127.0.0.1:1', model: 'm', prompt: 'p', headers: { 'x-key': CANARY } } },
    ],
    slow: { input: slow },
  });

  it.each([true, false])('returns text and tokens, streamed: %s', async (stream) => {
    let logged = '';
    const log = (_: string, text: string) => {
      logged += text;
    };
    const outcome = await run({ model: 'echo', stream, system: 'be kind', temperature: 0 }, { log });
    expect(outcome).toEqual({
      status: 'ok',
      result: { text: 'héllo hi ✓', finish_reason: 'stop', model: 'echo-1', usage },
      meta: { tokens: { input: 7, output: 3, total: 10 } },
    });
    expect(logged).toBe('héllo hi ✓\n');
    expect(requests.at(-1)).toMatchObject({
      asked: {
        temperature: 0,
        messages: [
          { role: 'system', content: 'be kind' },
          { role: 'user', content: 'hi' },
        ],
      },
      headers: { 'idempotency-key': 'x1/s1/-/t1/1' },
    });
  });

  it('parses JSON if it was requested, and says if it is invalid', async () => {
    expect((await run({ model: 'json', response_format: 'json' })).result).toMatchObject({ data: { a: 1 } });
    const outcome = await run({ model: 'echo', response_format: { type: 'json_object' } });
    expect(outcome).toMatchObject({
      error: { kind: 'parse', retryable: false },
      result: { text: 'héllo hi ✓' },
    });
  });

  it('returns the calls that the model requests', async () => {
    expect((await run({ model: 'tools', tools: [{ type: 'function' }] })).result).toMatchObject({
      finish_reason: 'tool_calls',
      tool_calls: [{ id: 'c1', name: 'add', arguments: '{"x": 2}' }],
    });
  });

  it.each([
    ['busy', 'rate_limit', true, { retry_after: 9, code: 'rate_limit_exceeded' }, /slow down/],
    ['locked', 'auth', false, { http_status: 401 }, /bad key/],
    ['absent', 'not_found', false, { code: 'model_not_found' }, /no such model/],
    ['broken', 'server_error', true, {}, /fell over/],
    ['cut', 'connection', true, {}, /broke/],
    ['reset', 'connection', true, {}, /broke|reset/],
    ['babble', 'parse', false, {}, /not JSON/],
    ['endless', 'storage', false, {}, /larger than/],
  ])(
    'turns a model that is %s into an error of the kind %s',
    async (model, kind, retryable, more, message) => {
      const outcome = await run({ model, auth: { bearer: 's3cret' } });
      expect(outcome).toMatchObject({ status: 'error', error: { kind, retryable, ...more } });
      expect(outcome.error?.message).toMatch(message);
      expect(JSON.stringify(outcome)).not.toContain('s3cret');
    },
  );

  it('abandons an endpoint that hangs', async () => {
    expect((await run({ model: 'hang', timeout: 0.2 })).error).toMatchObject({
      kind: 'timeout',
      retryable: true,
    });
  });
});
