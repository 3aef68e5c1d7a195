import type { Json, JsonObject } from './json.ts';
import { BlobError } from './reference.ts';

/** The one envelope that every tool returns. */
export interface Outcome {
  status: 'ok' | 'error';
  result?: Json;
  error?: OutcomeError;
  /** The worker adds `{attempt, duration_ms, ts}` to what the tool says, such as the tokens of a model. */
  meta?: JsonObject;
  http?: JsonObject;
  pg?: JsonObject;
  py?: JsonObject;
  /** What a cell displayed, where no file beside the notebook holds it: a line of the sidecar. */
  outputs?: Json;
  /** A cell did not run: the cache knows what it gives. */
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

/** What is meant unless the tool says otherwise. */
export function isRetryable(kind: ErrorKind): boolean {
  return RETRYABLE.has(kind);
}

/** One kind and code for every value over a limit, so that a rule can match it. */
export const sizeFailure = (message: string): Outcome => failure('storage', message, { code: 'too_large' });

/** What it means that a stored value cannot be had or kept; undefined: it is another error. */
export function storedError(error: unknown): OutcomeError | undefined {
  if (!(error instanceof BlobError)) return undefined;
  const { fault, message } = error;
  if (fault === 'missing') return failure('missing_reference', message).error;
  return failure('storage', message, { code: fault }).error;
}

/** Why a job is aborted that was cancelled, or given to another worker; any other reason is the worker's own end. */
export const NO_LONGER_WANTED = 'the job is no longer needed';
