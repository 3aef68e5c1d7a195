/**
 * A service on 127.0.0.1 that counts what is done to it.
 *
 * /count/NAME      counts and answers {name, count}
 * /hold/NAME       counts, and answers only after release(NAME)
 * /flaky/NAME?n=2  503 for the first n times, then {ok: true}
 * /items?page=N    three pages of two items
 * /thing/N         404 for odd numbers
 * /orders/NAME     two pages of one order each: 10, then 20
 * /text/JSON       answers with this text, percent-encoded, as JSON
 * /graphql         pages of two orders, from 1 to 5, behind the cursor of `variables.after`
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface EffectServer {
  url: string;
  /** How often a path was requested. */
  count(path: string): number;
  /** Releases the waiting requests, and later ones. */
  release(name: string): void;
}

const PAGES = 3;

export async function startEffectServer(): Promise<EffectServer> {
  const counts = new Map<string, number>();
  const held = new Map<string, ServerResponse[]>();
  const released = new Set<string>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const count = (counts.get(url.pathname) ?? 0) + 1;
    counts.set(url.pathname, count);
    const [, kind = '', name = ''] = url.pathname.split('/');
    if (kind === 'hold' && !released.has(name)) {
      held.set(name, [...(held.get(name) ?? []), response]);
      return;
    }
    if (kind === 'graphql') {
      void text(request).then((asked) => send(response, 200, connection(JSON.parse(asked).variables.after)));
      return;
    }
    if (kind === 'text') {
      response.setHeader('content-type', 'application/json').end(decodeURIComponent(name));
      return;
    }
    const [status, body] = answer(kind, name, count, url.searchParams);
    send(response, status, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: (path) => counts.get(path) ?? 0,
    release: (name) => {
      released.add(name);
      for (const response of held.get(name) ?? []) send(response, 200, { name });
    },
  };
}

function answer(kind: string, name: string, count: number, query: URLSearchParams): [number, unknown] {
  if (kind === 'flaky') return count <= Number(query.get('n')) ? [503, { busy: true }] : [200, { ok: true }];
  if (kind === 'thing') return Number(name) % 2 === 1 ? [404, {}] : [200, { name: `thing ${name}` }];
  if (kind === 'orders') {
    const page = Number(query.get('page'));
    return [200, { orders: [{ amount: page * 10 }], has_more: page < 2 }];
  }
  if (kind === 'items') {
    const page = Number(query.get('page'));
    return [200, { items: [page * 2 - 1, page * 2], has_more: page < PAGES }];
  }
  return [200, { name, count }];
}

function connection(after: string | null): unknown {
  const from = after === null ? 0 : Number(after.replace('after-', ''));
  const nodes = [1, 2, 3, 4, 5].slice(from, from + 2).map((id) => ({ id }));
  const pageInfo = { hasNextPage: from + 2 < 5, endCursor: `after-${from + 2}` };
  return { data: { orders: { nodes, pageInfo } } };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
