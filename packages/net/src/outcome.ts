import type { Json, JsonObject } from './json.ts';

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

/** Stands in place of a large value. */
export interface Reference extends JsonObject {
  store: string;
  key: string;
  /** `sha256:<hex>` */
  checksum: string;
  size: number;
  schema_hint: Json;
}

export function isReference(value: unknown): value is Reference {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const candidate = value as Record<string, unknown>;
  return (
    typeof candidate.store === 'string' &&
    typeof candidate.key === 'string' &&
    typeof candidate.checksum === 'string' &&
    typeof candidate.size === 'number'
  );
}

/** JSON that lies in a store: loading it gives the value itself. */
export function isStoredJson(value: unknown): value is Reference {
  if (!isReference(value)) return false;
  const type = (value.schema_hint as JsonObject | null)?.type;
  return type === 'list' || type === 'object' || type === 'string';
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

/** Why a job is aborted that was cancelled, or given to another worker; any other reason is the worker's own end. */
export const NO_LONGER_WANTED = 'the job is no longer wanted';
