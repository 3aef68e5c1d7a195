/**
 * Calls a server by the names of the table in `protocol`; what a call takes and gives is checked by the types.
 * A refusal is thrown as the problem that the server told.
 */
import { decodeJson, encodeJson } from '@woof/net';
import { PROBLEMS, Problem, type ProblemBody, ROUTES, type Route, type RouteName } from '@woof/protocol';
import type { AnswerOf, BodyOf, QueryOf } from '@woof/protocol/http';

export interface ClientOptions {
  url: string;
  token: string | undefined;
  /** How long a call may take, beyond what it asks the server to wait. Streams may take as long as they do. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 60_000;

/** The server does not answer, or something answers that is not a woof server. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';

  constructor(message: string, { isUnsent = false, ...options }: ErrorOptions & { isUnsent?: boolean } = {}) {
    super(message, options);
    this.isUnsent = isUnsent;
  }

  /** There was no connection, so the server knows nothing of the call. */
  readonly isUnsent: boolean;
}

/** Why a connection could not be made. */
const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|bad port)$|CERT|TLS|SSL/;

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
    const { body, headers } = input;
    const { wait_ms: waitMs = 0 } = (body ?? {}) as { wait_ms?: number };
    const late = AbortSignal.timeout(waitMs + (this.options.timeoutMs ?? TIMEOUT_MS));
    const signal = input.signal ? AbortSignal.any([input.signal, late]) : late;
    const response = await this.send(
      name,
      { ...(input as CallInput<RouteName>), signal },
      {
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: encodeJson(body) }),
      },
    );
    if (response.status === 204) return undefined as AnswerOf<N>;
    try {
      return decodeJson<AnswerOf<N>>(await response.text());
    } catch (error) {
      const what = late.aborted ? 'did not send a complete answer in time' : 'did not answer with JSON';
      throw new Unreachable(`${this.url} ${what}`, { cause: error });
    }
  }

  /** The answer as it comes, once it is a good one. */
  async send(
    name: RouteName,
    { params = {}, query, signal }: CallInput<RouteName>,
    more: { headers?: Record<string, string>; body?: RequestInit['body'] } = {},
  ): Promise<Response> {
    const { method, path }: Route = ROUTES[name];
    const place = path.replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
    const { token } = this.options;
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await this.fetch(`${this.url}${place}${queryText(query)}`, {
      method,
      // A token goes nowhere but to the server that it is for.
      redirect: 'error',
      headers: { ...authorization, ...more.headers },
      ...(more.body === undefined ? {} : { body: more.body, duplex: 'half' }),
      ...(signal ? { signal } : {}),
    });
    if (!response.ok) throw await problemOf(response);
    return response;
  }

  private async fetch(url: string, init: RequestInit & { duplex?: 'half' }): Promise<Response> {
    try {
      return await fetch(url, init);
    } catch (error) {
      if (init.signal?.aborted && (error as Error).name !== 'TimeoutError') throw error;
      const { cause } = error as { cause?: { code?: string; message?: string } };
      const why = cause?.code ?? cause?.message ?? (error as Error).message;
      const isUnsent = UNSENT.test(why);
      throw new Unreachable(`the server at ${this.url} does not answer (${why})`, { cause: error, isUnsent });
    }
  }
}

async function problemOf(response: Response): Promise<Error> {
  const text = await response.text().catch(() => '');
  try {
    const { code, detail, type: _, title: __, status: ___, ...more } = JSON.parse(text) as ProblemBody;
    if (Object.hasOwn(PROBLEMS, code)) return new Problem(code, detail, more);
  } catch {
    // Something else than a server of ours answered.
  }
  return new Unreachable(
    `${response.url} answered with status ${response.status}, but not as a Woof server does; check the address`,
  );
}

function queryText(query: object | undefined): string {
  const entries = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return '';
  return `?${new URLSearchParams(Object.fromEntries(entries.map(([key, value]) => [key, String(value)])))}`;
}
