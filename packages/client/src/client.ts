/**
 * Calls a server by the names of the table in `protocol`; the types check the arguments and results of a call. A
 * refusal is thrown as the problem that the server reported.
 */
import { decodeJson, encodeJson } from '@woof/net';
import {
  bodyFault,
  PROBLEMS,
  Problem,
  type ProblemBody,
  ROUTES,
  type Route,
  type RouteName,
} from '@woof/protocol';
import type { AnswerOf, BodyOf, QueryOf } from '@woof/protocol/http';
import { exchange } from '#exchange';
import type { Reply, RequestBody } from './exchange.ts';
import { TimeLimit } from './time-limit.ts';

export type { Reply };

export interface ClientOptions {
  url: string;
  token: string | undefined;
  /** How long a call may take, beyond the time that it asks the server to wait. Streams have no limit. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;

/** The server does not answer, or the answer does not come from a Woof server. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';

  constructor(message: string, { isUnsent = false, ...options }: ErrorOptions & { isUnsent?: boolean } = {}) {
    super(message, options);
    this.isUnsent = isUnsent;
  }

  /** There was no connection, so the call never reached the server. */
  readonly isUnsent: boolean;
}

/** Why a connection could not be made. For a host with several addresses, the error names no `syscall`. */
const UNCONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$|CERT|TLS|SSL/;

const isUnsent = ({ code = '', syscall }: { code?: string; syscall?: string }): boolean =>
  syscall === 'connect' || UNCONNECTED.test(code);

export interface CallInput<N extends RouteName> {
  params?: Record<string, string>;
  query?: QueryOf<N>;
  body?: BodyOf<N>;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

export class Client {
  readonly url: string;

  constructor(private readonly options: ClientOptions) {
    this.url = options.url.replace(/\/+$/, '');
  }

  async call<N extends RouteName>(name: N, input: CallInput<N> = {}): Promise<AnswerOf<N>> {
    const { body, headers, signal } = input;
    const { wait_ms: waitMs = 0 } = (body ?? {}) as { wait_ms?: number };
    const text = body === undefined ? undefined : encodeJson(body);
    // A server that refuses a body closes the connection while the body is being sent, so its answer can be lost.
    const fault = text === undefined ? undefined : bodyFault(text, ROUTES[name]);
    if (fault !== undefined) throw new Problem('request/too-large', fault);
    const request = this.request(name, input as CallInput<RouteName>, {
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    });
    const limit = new TimeLimit(waitMs + (this.options.timeoutMs ?? TIMEOUT_MS), signal);
    try {
      const reply = await exchange({ ...request, body: text, signal: limit.signal });
      return answerOf(request.url, reply.status, await reply.text()) as AnswerOf<N>;
    } catch (error) {
      throw this.failure(error, signal, limit);
    } finally {
      limit.end();
    }
  }

  /** The raw reply, once its status is a success. */
  async send(
    name: RouteName,
    { params = {}, query, signal }: CallInput<RouteName>,
    more: { headers?: Record<string, string>; body?: RequestBody } = {},
  ): Promise<Reply> {
    const request = this.request(name, { params, query }, more.headers);
    try {
      const reply = await exchange({ ...request, body: more.body, signal });
      if (!isGood(reply.status))
        throw problemOf(request.url, reply.status, await reply.text().catch(() => ''));
      return reply;
    } catch (error) {
      throw this.failure(error, signal);
    }
  }

  private request(
    name: RouteName,
    { params = {}, query }: CallInput<RouteName>,
    more: Record<string, string> | undefined,
  ): { method: string; url: string; headers: Record<string, string> } {
    const { method, path }: Route = ROUTES[name];
    const place = path.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
    const { token } = this.options;
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return { method, url: `${this.url}${place}${queryText(query)}`, headers: { ...authorization, ...more } };
  }

  /** The error for a failed call: a problem, the caller's own abort, or that the server is unreachable. */
  private failure(error: unknown, signal: AbortSignal | undefined, limit?: TimeLimit): unknown {
    if (error instanceof Problem || error instanceof Unreachable) return error;
    if (signal?.aborted) return error;
    if (limit?.isOver)
      return new Unreachable(`the server at ${this.url} did not answer within ${limit.ms / 1000} s`);
    const cause = ((error as Error).cause ?? error) as { code?: string; syscall?: string; message: string };
    const why = cause.code ?? cause.message;
    return new Unreachable(`the server at ${this.url} does not answer (${why})`, {
      cause: error,
      isUnsent: isUnsent(cause),
    });
  }
}

const isGood = (status: number) => status >= 200 && status <= 299;

function answerOf(url: string, status: number, text: string): unknown {
  if (!isGood(status)) throw problemOf(url, status, text);
  if (status === 204) return undefined;
  try {
    return decodeJson(text);
  } catch (error) {
    throw new Unreachable(`${url} did not answer with JSON`, { cause: error });
  }
}

function problemOf(url: string, status: number, text: string): Error {
  try {
    const { code, detail, type: _, title: __, status: ___, ...more } = JSON.parse(text) as ProblemBody;
    if (Object.hasOwn(PROBLEMS, code)) return new Problem(code, detail, more);
  } catch {
    // Something other than a Woof server answered.
  }
  return new Unreachable(
    `${url} answered with status ${status}, but not as a Woof server does; check the address`,
  );
}

function queryText(query: object | undefined): string {
  const entries = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return '';
  return `?${new URLSearchParams(Object.fromEntries(entries.map(([key, value]) => [key, String(value)])))}`;
}
