/**
 * Owns the connections, their timeouts and the redirects. Does not own: the meaning of a body or a status.
 *
 * Invariants: no header from the document follows a redirect to another origin, because any may contain a secret. There
 * are at most ten redirects. The length of a text is counted here, whatever the document says, because the next request
 * on the connection begins where this one ends.
 */
import { Agent, type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import type { Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { onStop, type Stopping } from '../on-stop.ts';
import type { HttpRequest } from './http-request.ts';
import { type Connection, ReplyBody } from './reply-body.ts';
import { headersOf } from './reply-headers.ts';

export interface HttpReply {
  status: number;
  headers: Record<string, string | string[]>;
  url: URL;
  body: ReplyBody;
}

export class TooManyRedirects extends Error {}

/** What the connection did, or failed to do in time. */
export class ConnectionFault extends Error {
  constructor(readonly code: 'CONNECTION_BROKEN' | 'CONNECT_TIMEOUT' | 'HEADERS_TIMEOUT' | 'BODY_TIMEOUT') {
    super(code);
  }
}

const MAX_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Many servers close a connection that is idle for five seconds, and a request must not meet that. */
const IDLE_MS = 4000;

export class HttpExchange {
  readonly #plain = new Agent({ keepAlive: true, timeout: IDLE_MS });
  #secure: SecureAgent | undefined;
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
      if (conversation.isStopped) return;
      try {
        conversation.begin(this.#request(wanted));
      } catch (error) {
        conversation.abort(error);
      }
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
    this.#plain.destroy();
    this.#secure?.destroy();
  }

  #request({ url, method, headers, body, readMs, verifySsl }: HttpRequest): ClientRequest {
    const { hostname, port, pathname, search } = url;
    const options = {
      // An IPv6 address has brackets in a URL only.
      hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
      port,
      path: pathname + search,
      method,
      headers: headerList(url, method, headers, body),
      timeout: readMs,
    };
    if (url.protocol === 'http:') return plainRequest({ ...options, agent: this.#plain });
    // Loading TLS takes longer than a short run without it.
    const https = process.getBuiltinModule('node:https');
    this.#secure ??= new https.Agent({ keepAlive: true, timeout: IDLE_MS });
    return https.request({ ...options, agent: this.#secure, rejectUnauthorized: verifySsl });
  }
}

/** Names and values in turn: Node takes less time for a list than for a map. */
function headerList(
  { host }: URL,
  method: string,
  headers: HttpRequest['headers'],
  body: HttpRequest['body'],
): string[] {
  const list: string[] = [];
  if (headers.host === undefined) list.push('host', host);
  const length = lengthOf(method, body);
  for (const name in headers) {
    // That of a stream is known to whoever made it.
    if (name === 'content-length' && typeof body !== 'object') continue;
    list.push(name, headers[name]!);
  }
  if (length !== undefined) list.push('content-length', String(length));
  return list;
}

const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

function lengthOf(method: string, body: HttpRequest['body']): number | undefined {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body === undefined && !WITHOUT_BODY.has(method) ? 0 : undefined;
}

/** One request and its reply, as the connection reports them. */
class Conversation implements Connection {
  #request: ClientRequest | undefined;
  #response: IncomingMessage | undefined;
  #body: ReplyBody | undefined;
  #stopped: Error | undefined;
  #isPaused = false;
  #connecting: NodeJS.Timeout | undefined;
  readonly #unhear: () => void;

  constructor(
    private readonly wanted: HttpRequest,
    context: Stopping,
    private readonly answer: (reply: HttpReply) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    this.#unhear = onStop(context, (reason) => this.abort(reason));
    this.#upload?.on('error', (error) => this.abort(error));
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  begin(request: ClientRequest): void {
    this.#request = request;
    request.on('socket', (socket) => this.#watchConnecting(socket));
    request.on('response', (response) => this.#respond(response));
    request.on('timeout', () => this.#late());
    request.on('error', (error) => this.#fail(error));
    const { body } = this.wanted;
    if (typeof body === 'object') body.pipe(request);
    else request.end(body);
  }

  // Called by a reader of the body.

  pause(): void {
    this.#isPaused = true;
    this.#response?.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    // The time during which nobody read does not count.
    this.#request?.socket?.setTimeout(this.wanted.readMs);
    this.#response?.resume();
  }

  abort(reason: unknown): void {
    this.#stopped = reason instanceof Error ? reason : new Error(String(reason));
    this.#request?.destroy(this.#stopped);
    this.#fail(this.#stopped);
  }

  // Called by the connection.

  #respond(response: IncomingMessage): void {
    this.#response = response;
    const body = new ReplyBody(this);
    this.#body = body;
    response.on('data', (chunk: Buffer) => body.add(chunk));
    response.on('end', () => this.#end());
    response.on('error', () => this.#fail(new ConnectionFault('CONNECTION_BROKEN')));
    this.answer({
      status: response.statusCode!,
      headers: headersOf(response.rawHeaders),
      url: this.wanted.url,
      body,
    });
  }

  #end(): void {
    this.#unhear();
    this.#body?.end();
  }

  /** The first failure counts; later ones are its consequences. */
  #fail(error: Error): void {
    clearTimeout(this.#connecting);
    this.#unhear();
    this.#upload?.destroy(error);
    this.reject(error);
    this.#body?.end({ error });
  }

  #watchConnecting(socket: Socket): void {
    if (!socket.connecting) return;
    const late = () => this.abort(new ConnectionFault('CONNECT_TIMEOUT'));
    this.#connecting = setTimeout(late, this.wanted.connectMs);
    const isSecure = this.wanted.url.protocol === 'https:';
    socket.once(isSecure ? 'secureConnect' : 'connect', () => clearTimeout(this.#connecting));
  }

  #late(): void {
    if (this.#isPaused || this.#request?.socket?.connecting) return;
    this.abort(new ConnectionFault(this.#body ? 'BODY_TIMEOUT' : 'HEADERS_TIMEOUT'));
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
