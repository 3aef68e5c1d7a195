import type { Json, JsonObject } from './json.ts';
import { BlobError } from './reference.ts';

/** The one envelope that every tool returns. */
export interface Outcome {
  status: 'ok' | 'error';
  result?: Json;
  error?: OutcomeError;
  /** The worker adds `{attempt, duration_ms, ts}` to what the tool reports, such as the tokens of a model. */
  meta?: JsonObject;
  http?: JsonObject;
  pg?: JsonObject;
  py?: JsonObject;
  /** What a cell displayed, if no file beside the notebook holds it: a line of the sidecar. */
  outputs?: Json;
  /** The cell did not run: its result came from the cache. */
  cached?: true;
}

export type ErrorKind =
  | 'connection'
  | 'timeout'
  | 'rate_limit'
  | 'auth'
  | 'not_found'
  | 'client_error'
  | 'server_error'
  | 'schema'
  | 'parse'
  | 'db_connection'
  | 'db_constraint'
  | 'db_deadlock'
  | 'db_timeout'
  | 'storage'
  | 'missing_reference'
  | 'policy'
  | 'template'
  | 'exception'
  | 'cancelled'
  | 'unknown';

export interface OutcomeError {
  kind: ErrorKind;
  retryable: boolean;
  message: string;
  code?: string | number;
  http_status?: number;
  retry_after?: number;
  pg_code?: string;
  exception_type?: string;
  details?: JsonObject;
}

export function failure(kind: ErrorKind, message: string, more: Partial<OutcomeError> = {}): Outcome {
  return { status: 'error', error: { kind, retryable: isRetryable(kind), message, ...more } };
}

const RETRYABLE: ReadonlySet<ErrorKind> = new Set([
  'connection',
  'timeout',
  'rate_limit',
  'server_error',
  'db_deadlock',
  'db_connection',
  'db_timeout',
  'missing_reference',
]);

/** The default, unless the tool says otherwise. */
export function isRetryable(kind: ErrorKind): boolean {
  return RETRYABLE.has(kind);
}

/** One kind and code for every value over a limit, so that a rule can match it. */
export const sizeFailure = (message: string): Outcome => failure('storage', message, { code: 'too_large' });

/** The error for a stored value that cannot be read or written; undefined: it is another kind of error. */
export function storedError(error: unknown): OutcomeError | undefined {
  if (!(error instanceof BlobError)) return undefined;
  const { fault, message } = error;
  if (fault === 'missing') return failure('missing_reference', message).error;
  return failure('storage', message, { code: fault }).error;
}

/**
 * The abort reason for a job that was cancelled or given to another worker; any other reason means that the worker
 * itself is ending.
 */
export const NO_LONGER_WANTED = 'the job is no longer needed';
