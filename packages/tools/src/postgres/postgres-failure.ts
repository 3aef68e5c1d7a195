/** The meaning of errors from Postgres and its connection. Messages name the server, never the user or password. */
import { type ErrorKind, failure, type JsonObject, type Outcome, type OutcomeError } from '@woof/net';
import { type PostgresAddress, placeOf } from './postgres-address.ts';

interface Meaning {
  kind: ErrorKind;
  retryable?: boolean;
  fix?: string;
}

/** By SQLSTATE, otherwise by its two-letter class, otherwise by the code of the client or the system. */
const MEANINGS: Record<string, Meaning> = {
  '08': { kind: 'db_connection' },
  '22': { kind: 'client_error' },
  '23': { kind: 'db_constraint' },
  '25': { kind: 'client_error' },
  '28': { kind: 'auth', fix: 'check the user, password and database' },
  '40': { kind: 'db_deadlock' },
  '42': { kind: 'client_error' },
  '42501': { kind: 'auth' },
  '53': { kind: 'server_error' },
  '53100': { kind: 'storage', retryable: true },
  '53300': { kind: 'db_connection' },
  '55P03': { kind: 'db_timeout' },
  '57014': { kind: 'db_timeout' },
  '57': { kind: 'db_connection' },
  '58': { kind: 'server_error' },
  '3D': { kind: 'not_found' },
  '3F': { kind: 'not_found' },
  P0: { kind: 'exception' },
  XX: { kind: 'server_error' },
  CONNECT_TIMEOUT: { kind: 'db_connection', fix: 'the server did not respond in time' },
  ECONNREFUSED: { kind: 'db_connection', fix: 'no server listens at this address' },
  ENOTFOUND: { kind: 'db_connection', fix: 'the name does not resolve' },
  ERR_INVALID_CHAR: { kind: 'schema' },
  MAX_PARAMETERS_EXCEEDED: { kind: 'schema' },
};

interface ServerError extends Error {
  code?: string;
  detail?: string;
  hint?: string;
  position?: string;
  severity?: string;
  schema_name?: string;
  table_name?: string;
  column_name?: string;
  constraint_name?: string;
}

/** The place in the task that caused the error: ` (statement 2 of 3, line 7)`. */
export interface Whereabouts {
  statement: string;
  line: number;
  number: number;
  of: number;
}

export function postgresFailure(
  error: unknown,
  address: PostgresAddress,
  at: Whereabouts | undefined,
  executionId: string,
): Outcome {
  const fault = first(error) as ServerError;
  const code = String(fault.code ?? '');
  const meaning = meaningOf(code);
  const told = at && isSqlState(code) ? ` (${whereOf(at, fault)})` : '';
  const fix = hintFor(fault, executionId) ?? meaning.fix ?? fault.hint;
  const message = `postgres ${placeOf(address)}${told}: ${fault.message || code}${fix ? `; ${fix}` : ''}`;
  const more: Partial<OutcomeError> = {
    ...(meaning.retryable === undefined ? {} : { retryable: meaning.retryable }),
    ...(code === '' ? {} : { code }),
    ...(isSqlState(code) ? { pg_code: code } : {}),
  };
  return { ...failure(meaning.kind, message, more), pg: pgOf(fault, code) };
}

function meaningOf(code: string): Meaning {
  const known = MEANINGS[code] ?? (isSqlState(code) ? MEANINGS[code.slice(0, 2)] : undefined);
  if (known) return known;
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code)) {
    return { kind: 'connection', retryable: false, fix: 'set the certificates to trust in sslrootcert' };
  }
  if (code === 'ERR_TLS_REFUSED') return { kind: 'connection', retryable: false };
  if (/^(CONNECTION_|E[A-Z]+$|ERR_SSL|ERR_TLS|EAI_)/.test(code)) return { kind: 'db_connection' };
  return { kind: isSqlState(code) ? 'client_error' : 'unknown' };
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
}

function whereOf({ statement, line, number, of }: Whereabouts, { position }: ServerError): string {
  const before = position === undefined ? '' : [...statement].slice(0, Number(position) - 1).join('');
  const at = line + (before.match(/\n/g)?.length ?? 0);
  return of > 1 ? `statement ${number} of ${of}, line ${at}` : `line ${at}`;
}

/** Playbooks of the first implementation bind the execution id, which was a number there, to BIGINT columns. */
function hintFor({ message }: ServerError, executionId: string): string | undefined {
  if (!/\b(bigint|integer|smallint|numeric)\b/.test(message) || !message.includes(executionId))
    return undefined;
  return 'the id of an execution is text: declare the column as text';
}

function pgOf(fault: ServerError, code: string): JsonObject {
  const entries: [string, string | undefined][] = [
    ['code', code],
    ['sqlstate', isSqlState(code) ? code : undefined],
    ['message', fault.message],
    ['detail', fault.detail],
    ['hint', fault.hint],
    ['schema', fault.schema_name],
    ['table', fault.table_name],
    ['column', fault.column_name],
    ['constraint', fault.constraint_name],
  ];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Several addresses of one host failed, each for its own reason. */
function first(error: unknown): Error {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0];
  return error instanceof Error ? error : new Error(String(error));
}
