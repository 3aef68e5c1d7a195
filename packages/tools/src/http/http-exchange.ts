/**
 * Owns the connections and the redirects. Does not own: the meaning of a body or a status.
 *
 * Invariants: no header from the document follows a redirect to another origin, because any may contain a secret. There
 * are at most ten redirects. The number of connection pools is bounded, however many timeouts the documents name.
 */
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
// The package itself also loads fetch, HTTP/2 and mocks, which takes a quarter of the time of a run with one request.
import Agent from 'undici/lib/dispatcher/agent.js';
import './parser-budget.ts';
import { onStop, type Stopping } from '../on-stop.ts';
import type { HttpRequest } from './http-request.ts';
import { ReplyBody } from './reply-body.ts';

export interface HttpReply {
  status: number;
  headers: Record<string, string | string[]>;
  url: URL;
  body: ReplyBody;
}

export class TooManyRedirects extends Error {}

const MAX_REDIRECTS = 10;
const MAX_AGENTS = 16;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export class HttpExchange {
  /** By connect timeout, negative if any certificate is accepted; the most recently used is last. */
  readonly #agents = new Map<number, Agent>();
  #lastKey: number | undefined;
  #begun: (() => void)[] = [];

  /** Resolves when the final reply begins, after redirects. */
  send(wanted: HttpRequest, context: Stopping, redirects = 0): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      const answer = (reply: HttpReply) => {
        const next = wanted.followRedirects ? redirectOf(wanted, reply) : undefined;
        if (next) resolve(this.#follow(next, reply, context, redirects));
        else this.#tell(() => resolve(reply));
      };
      const conversation = new Conversation(wanted, context, answer, reject);
      if (!conversation.isStopped) this.#dispatch(wanted, conversation);
    });
  }

  /** Replies that arrived together are reported together: deciding on many in a row is cheaper than between reads. */
  #tell(reply: () => void): void {
    if (this.#begun.push(reply) > 1) return;
    setImmediate(() => {
      const begun = this.#begun;
      this.#begun = [];
      for (const tell of begun) tell();
    });
  }

  async #follow(
    next: HttpRequest,
    reply: HttpReply,
    context: Stopping,
    redirects: number,
  ): Promise<HttpReply> {
    await reply.body.dump();
    if (redirects === MAX_REDIRECTS) throw new TooManyRedirects(`more than ${MAX_REDIRECTS} redirects`);
    return this.send(next, context, redirects + 1);
  }

  async close(): Promise<void> {
    const agents = [...this.#agents.values()];
    this.#agents.clear();
    this.#lastKey = undefined;
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  #dispatch(wanted: HttpRequest, conversation: Conversation): void {
    const { url, method, headers, body = null, readMs } = wanted;
    this.#agent(wanted).dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: method as Dispatcher.HttpMethod,
        headers,
        body,
        headersTimeout: readMs,
        bodyTimeout: readMs,
      },
      conversation,
    );
  }

  #agent({ connectMs, verifySsl }: HttpRequest): Agent {
    const key = verifySsl ? connectMs : -1 - connectMs;
    if (key === this.#lastKey) return this.#agents.get(key)!;
    this.#lastKey = key;
    const agent =
      this.#agents.get(key) ?? new Agent({ connect: { timeout: connectMs, rejectUnauthorized: verifySsl } });
    this.#agents.delete(key);
    this.#agents.set(key, agent);
    if (this.#agents.size > MAX_AGENTS) this.#retireOldest();
    return agent;
  }

  /** `close` lets running requests finish first. */
  #retireOldest(): void {
    const [oldest] = this.#agents;
    if (!oldest) return;
    this.#agents.delete(oldest[0]);
    oldest[1].close().catch(() => undefined);
  }
}

/**
 * One request and its reply, as the connection reports them. Undici's own `request` wraps every body in a stream and
 * every signal in another one, which costs as much as the rest of a short exchange.
 */
class Conversation implements Dispatcher.DispatchHandler {
  #connection: Dispatcher.DispatchController | undefined;
  #body: ReplyBody | undefined;
  #stopped: Error | undefined;
  readonly #unhear: () => void;

  constructor(
    private readonly wanted: HttpRequest,
    context: Stopping,
    private readonly answer: (reply: HttpReply) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    this.#unhear = onStop(context, (reason) => this.#stop(reason));
    this.#upload?.on('error', (error) => this.#stop(error));
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  onRequestStart(connection: Dispatcher.DispatchController): void {
    this.#connection = connection;
    if (this.#stopped) connection.abort(this.#stopped);
  }

  onResponseStart(connection: Dispatcher.DispatchController, status: number, headers: object): void {
    if (status < 200) return;
    this.#body = new ReplyBody(connection);
    const { url } = this.wanted;
    this.answer({ status, headers: headers as HttpReply['headers'], url, body: this.#body });
  }

  onResponseData(_connection: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.add(chunk);
  }

  onResponseEnd(): void {
    this.#unhear();
    this.#body?.end();
  }

  onResponseError(_connection: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#unhear();
    this.#upload?.destroy(error);
    this.reject(error);
    this.#body?.end({ error });
  }

  #stop(reason: unknown): void {
    this.#stopped = reason instanceof Error ? reason : new Error(String(reason));
    // It may still be waiting for a connection.
    this.reject(this.#stopped);
    this.#connection?.abort(this.#stopped);
  }

  get #upload(): Readable | undefined {
    const { body } = this.wanted;
    return typeof body === 'object' ? body : undefined;
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
  const headers = url.origin === from.url.origin ? { ...from.headers } : headersElsewhere(from);
  const becomesGet =
    (reply.status === 303 && from.method !== 'HEAD') || (reply.status < 303 && from.method === 'POST');
  if (!becomesGet) return { ...from, url, headers };
  for (const name of ['content-type', 'content-length', 'idempotency-key']) delete headers[name];
  const { body: _dropped, ...rest } = from;
  return { ...rest, url, headers, method: 'GET' };
}

function headersElsewhere({ headers, ownHeaders }: HttpRequest): Record<string, string> {
  const type = headers['content-type'];
  return type === undefined ? { ...ownHeaders } : { ...ownHeaders, 'content-type': type };
}
