/** The meaning of statuses and network errors. Messages contain no userinfo, query or headers of the request. */
import { type ErrorKind, failure, type Outcome, sizeFailure } from '@woof/net';
import { BodyTooLarge } from './http-body.ts';
import { type HttpReply, TooManyRedirects } from './http-exchange.ts';
import type { HttpRequest } from './http-request.ts';

export function kindOfStatus(status: number): ErrorKind {
  if (status === 429) return 'rate_limit';
  if (status === 401 || status === 403) return 'auth';
  if (status === 404) return 'not_found';
  if (status === 408) return 'timeout';
  return status >= 500 ? 'server_error' : 'client_error';
}

export function statusFailure(wanted: HttpRequest, reply: HttpReply, now: number): Outcome {
  const retryAfter = retryAfterSeconds(reply.headers['retry-after'], now);
  return failure(kindOfStatus(reply.status), `${shown(wanted)} answered ${reply.status}`, {
    http_status: reply.status,
    code: reply.status,
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
  });
}

export function networkFailure(wanted: HttpRequest, error: unknown): Outcome {
  if (error instanceof BodyTooLarge) {
    return sizeFailure(`${shown(wanted)}: ${error.message}; raise spec.http.max_bytes`);
  }
  if (error instanceof TooManyRedirects) return failure('client_error', `${shown(wanted)}: ${error.message}`);
  const code = codeOf(error);
  const kind = kindOfCode(code);
  const more = { ...(code === '' ? {} : { code }), ...(isOfTls(code) ? { retryable: false } : {}) };
  return failure(kind, `${shown(wanted)}: ${reason(code, error)}`, more);
}

/** A delay in seconds, or a date. */
export function retryAfterSeconds(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  if (/^\d+(\.\d+)?$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}

export function shown({ method, url }: HttpRequest): string {
  return `${method} ${url.origin}${url.pathname}`;
}

function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const inner = at instanceof AggregateError ? at.errors[0] : undefined;
    const code = (at as NodeJS.ErrnoException).code ?? (inner as NodeJS.ErrnoException | undefined)?.code;
    if (typeof code === 'string') return code;
  }
  return '';
}

function isCertificate(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code);
}

/** Both sides respond but cannot agree, and a retry would not change that. */
const NO_AGREEMENT =
  /^(ERR_SSL_.*(VERSION|PROTOCOL|HANDSHAKE_FAILURE|CIPHER|PACKET_LENGTH|HTTP_REQUEST|UNEXPECTED)|EPROTO)/;

function isOfTls(code: string): boolean {
  return isCertificate(code) || NO_AGREEMENT.test(code);
}

function kindOfCode(code: string): ErrorKind {
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
  if (/^UND_ERR_INVALID_ARG|^ERR_INVALID/.test(code)) return 'schema';
  if (/^Z_|^ERR__ERROR_FORMAT|^ERR_BROTLI|BROTLI/.test(code)) return 'parse';
  return code === '' ? 'unknown' : 'connection';
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused: no service listens at this address',
  ENOTFOUND: 'unknown host: the name does not resolve',
  EAI_AGAIN: 'the name cannot be resolved at the moment',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection broke',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within the timeout (spec.http.timeout.connect)',
  UND_ERR_HEADERS_TIMEOUT: 'no response within the timeout (spec.http.timeout.read)',
  UND_ERR_BODY_TIMEOUT: 'the body stalled for longer than the timeout (spec.http.timeout.read)',
};

function reason(code: string, error: unknown): string {
  if (REASONS[code]) return REASONS[code];
  const message = plain(error instanceof Error ? error.message : String(error));
  if (/^ERR_SSL_.*(WRONG_VERSION|PACKET_LENGTH)/.test(code))
    return 'the service does not use TLS; should the address begin with http://?';
  if (NO_AGREEMENT.test(code)) return `the TLS negotiation failed: ${message}`;
  return isCertificate(code) ? `${message}; to accept any certificate, set verify_ssl: false` : message;
}

/** OpenSSL surrounds the cause with memory addresses and lines of its source. */
function plain(message: string): string {
  return /SSL routines:[^:]*:([^:]+):/.exec(message)?.[1] ?? message.trim();
}
