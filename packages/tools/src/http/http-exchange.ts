/**
 * Owns the connections and the redirects. Does not own: what a body or a status means.
 *
 * Invariants: credentials never follow a redirect to another origin; there are at most ten redirects and, however
 * many time-outs the documents name, a bounded number of connection pools.
 */
import { Agent, type Dispatcher, request } from 'undici';
import type { HttpRequest } from './http-request.ts';

export interface HttpReply {
  status: number;
  headers: Record<string, string | string[]>;
  url: URL;
  body: Dispatcher.ResponseData['body'];
}

export class TooManyRedirects extends Error {}

const MAX_REDIRECTS = 10;
const MAX_AGENTS = 16;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export class HttpExchange {
  readonly #agents = new Map<string, Agent>();

  async send(original: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
    let current = original;
    for (let redirects = 0; ; redirects += 1) {
      const reply = await this.#once(current, signal);
      const next = current.followRedirects ? redirectOf(current, reply) : undefined;
      if (!next) return reply;
      await reply.body.dump();
      if (redirects === MAX_REDIRECTS) throw new TooManyRedirects(`more than ${MAX_REDIRECTS} redirects`);
      current = next;
    }
  }

  async close(): Promise<void> {
    const agents = [...this.#agents.values()];
    this.#agents.clear();
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  async #once(wanted: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
    const { statusCode, headers, body } = await request(wanted.url, {
      method: wanted.method as Dispatcher.HttpMethod,
      headers: wanted.headers,
      body: wanted.body ?? null,
      headersTimeout: wanted.readMs,
      bodyTimeout: wanted.readMs,
      dispatcher: this.#agent(wanted),
      signal,
    });
    return { status: statusCode, headers: present(headers), url: wanted.url, body };
  }

  #agent({ connectMs, verifySsl }: HttpRequest): Agent {
    const key = `${connectMs} ${verifySsl}`;
    const agent =
      this.#agents.get(key) ?? new Agent({ connect: { timeout: connectMs, rejectUnauthorized: verifySsl } });
    this.#agents.delete(key);
    this.#agents.set(key, agent);
    if (this.#agents.size > MAX_AGENTS) this.#retireOldest();
    return agent;
  }

  /** `close` lets running requests end first. */
  #retireOldest(): void {
    const [oldest] = this.#agents;
    if (!oldest) return;
    this.#agents.delete(oldest[0]);
    oldest[1].close().catch(() => undefined);
  }
}

function redirectOf(from: HttpRequest, reply: HttpReply): HttpRequest | undefined {
  const location = reply.headers.location;
  if (!REDIRECTS.has(reply.status) || typeof location !== 'string') return undefined;
  if (!URL.canParse(location, from.url.href)) return undefined;
  const url = new URL(location, from.url);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  url.username = '';
  url.password = '';
  const headers = url.origin === from.url.origin ? { ...from.headers } : withoutSecrets(from);
  const becomesGet =
    (reply.status === 303 && from.method !== 'HEAD') || (reply.status < 303 && from.method === 'POST');
  if (!becomesGet) return { ...from, url, headers };
  for (const name of ['content-type', 'content-length', 'idempotency-key']) delete headers[name];
  const { body: _dropped, ...rest } = from;
  return { ...rest, url, headers, method: 'GET' };
}

function withoutSecrets({ headers, secretHeaders }: HttpRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !secretHeaders.has(name) && name !== 'host'),
  );
}

function present(headers: Record<string, string | string[] | undefined>): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) kept[name] = value;
  return kept;
}
