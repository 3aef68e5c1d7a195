import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject, Outcome } from '@woof/net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARY, exerciseTool, toolCall, toolContext } from '../exercise-tool.ts';
import { createGraphqlTool } from './graphql-tool.ts';

interface Asked {
  query: string;
  variables: JsonObject;
  operationName?: string;
}

/** A list of five items, two per page, each of which has its own list. */
function page(after: unknown): unknown {
  const from = Number(after ?? 0);
  const nodes = [1, 2, 3, 4, 5]
    .slice(from, from + 2)
    .map((id) => ({ id, tags: { pageInfo: { hasNextPage: true, endCursor: 'inner' }, nodes: [] } }));
  return { pageInfo: { hasNextPage: from + 2 < 5, endCursor: String(from + 2) }, nodes };
}

/** Answers according to the document. */
function answer({ query, variables, operationName }: Asked): [status: number, body: unknown] {
  if (query.includes('orders')) {
    const [orders, users] = [page(variables.after), page(0)];
    return [200, { data: { shop: query.includes('users') ? { orders, users } : { orders } } }];
  }
  if (query.includes('hello')) return [200, { data: { hello: variables.name ?? 'you', operationName } }];
  if (query.includes('half')) {
    return [200, { data: { a: 1, b: null }, errors: [{ message: 'no b', path: ['b'] }, { message: 'x' }] }];
  }
  const code = /code_(\w+)/.exec(query)?.[1];
  if (code) return [200, { errors: [{ message: 'refused', extensions: { code } }] }];
  const size = Number(/large_(\d+)/.exec(query)?.[1] ?? 0);
  if (size > 0) return [200, { data: { text: 'x'.repeat(size) } }];
  if (query.includes('wrong')) return [400, { errors: [{ message: 'Syntax Error' }] }];
  if (query.includes('down')) return [503, 'later'];
  return [200, { hi: 'no GraphQL here' }];
}

describe('graphql', () => {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => {
      text += String(part);
    });
    request.on('end', () => {
      const asked = JSON.parse(text) as Asked;
      if (asked.query.includes('hang')) return;
      const [status, body] = answer(asked);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  const place: JsonObject = {};
  const tool = createGraphqlTool();
  const run = (input: JsonObject) =>
    tool.run(toolCall({ input: { ...place, ...input } }), toolContext()) as Promise<Outcome>;
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    place.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
    good.url = place.url;
    slow.url = place.url;
  });
  afterAll(async () => {
    await tool.close?.();
    server.closeAllConnections();
    server.close();
  });

  const good: JsonObject = { query: '{ hello }' };
  const slow: JsonObject = { query: '{ hang }' };
  exerciseTool('graphql', {
    make: createGraphqlTool,
    good: [{ input: good }],
    bad: [
      [{ input: { url: 'http://x' } }, /"query" is missing/],
      [{ input: { query: '{ a }' } }, /"url" is missing/],
      [{ input: { url: 'http://x', query: '{ a }', variables: [] } }, /"variables" must be a map/],
    ],
    secret: [
      { input: { url: 'http://127.0.0.1:1', query: '{ a }', auth: { bearer: CANARY } } },
      { input: { url: `http://u:${CANARY}@127.0.0.1:1/?k=${CANARY}`, query: '{ a }' } },
      { input: { url: 'http://127.0.0.1:1', query: '{ a }', auth: CANARY } },
    ],
    slow: { input: slow },
  });

  it('sends variables and the name of the operation, and returns the data', async () => {
    const input = {
      query: 'query q($name: String) { hello }',
      variables: { name: '"}' },
      operation_name: 'q',
    };
    expect(await run(input)).toMatchObject({
      status: 'ok',
      result: { data: { hello: '"}', operationName: 'q' } },
      http: { status: 200 },
    });
  });

  it('returns the cursor of the next page, until there is none', async () => {
    const cursors: unknown[] = [];
    for (let after: unknown = null; after !== undefined && cursors.length < 9; ) {
      const { result } = await run({ query: '{ orders }', variables: { after } as JsonObject });
      after = (result as JsonObject).next_cursor;
      cursors.push(after);
    }
    expect(cursors).toEqual(['2', '4', undefined]);
  });

  it('guesses no cursor if there are several; a path selects one', async () => {
    const logged: string[] = [];
    const context = toolContext({ log: (_stream, text) => void logged.push(text) });
    const both = { ...place, query: '{ orders users }', variables: { after: 2 } };
    const outcome = (await tool.run(toolCall({ input: both }), context)) as Outcome;
    expect(outcome.result).not.toHaveProperty('next_cursor');
    expect(logged.join('')).toMatch(/shop\.orders and shop\.users .*page_path/);
    expect((await run({ ...both, page_path: 'shop.orders' })).result).toMatchObject({ next_cursor: '4' });
    expect((await run({ ...both, page_path: 'shop.nothing' })).result).not.toHaveProperty('next_cursor');
  });

  it('reads a reply of many megabytes, up to a limit', async () => {
    const { result } = await run({ query: '{ large_17000000 }' });
    expect((result as { data: { text: string } }).data.text).toHaveLength(17_000_000);
    const { error } = await run({ query: '{ large_68000000 }' });
    expect(error).toMatchObject({ kind: 'storage', retryable: false });
    expect(error?.message).toMatch(/request less at a time/);
  });

  it('returns an error that includes the data', async () => {
    expect(await run({ query: '{ half }' })).toMatchObject({
      status: 'error',
      error: { kind: 'client_error', retryable: false, message: 'graphql: no b at b (and 1 more)' },
      result: { data: { a: 1, b: null }, errors: [{ message: 'no b' }, { message: 'x' }] },
    });
  });

  it.each([
    ['{ code_UNAUTHENTICATED }', 'auth', false],
    ['{ code_RATE_LIMITED }', 'rate_limit', true],
    ['{ code_INTERNAL_SERVER_ERROR }', 'server_error', true],
    ['{ wrong }', 'client_error', false],
    ['{ down }', 'server_error', true],
    ['{ other }', 'parse', false],
  ])('turns %s into an error of the kind %s', async (query, kind, retryable) => {
    const outcome = await run({ query, auth: { bearer: 's3cret' } });
    expect(outcome).toMatchObject({ status: 'error', error: { kind, retryable } });
    expect(JSON.stringify(outcome)).not.toContain('s3cret');
  });
});
