/** What an error of Postgres, or of the connection to it, means for the user of the store, and what to do about it. */
import { StoreError, type StoreFault } from '../store.ts';

interface Cause {
  fault: StoreFault;
  /** What is wrong; follows "Postgres at host:port/database". */
  what: string;
  fix: string;
}

const GONE: Cause = {
  fault: 'unavailable',
  what: 'is not reachable',
  fix: 'Check that it is running and that the address is right. Work continues automatically when it is back',
};
const STOPPING: Cause = {
  fault: 'unavailable',
  what: 'is stopping or starting',
  fix: 'Work continues automatically when it is back',
};
const REFUSED: Cause = {
  fault: 'unavailable',
  what: 'refuses the login',
  fix: 'Check the user and password in the address',
};
const SLOW: Cause = {
  fault: 'unavailable',
  what: 'did not answer in time',
  fix: 'Check it for long transactions and high load',
};
const DISK: Cause = {
  fault: 'disk_full',
  what: 'has a full or failing disk',
  fix: 'Free some space there. Work then continues automatically',
};
const RIGHTS: Cause = {
  fault: 'unavailable',
  what: 'does not grant the permissions that Woof needs',
  fix: 'Let the user own the schema "woof", or grant it CREATE on the database',
};

/** By SQLSTATE, or its class of two characters. */
const CAUSES: Record<string, Cause> = {
  '08': GONE,
  '57P01': STOPPING,
  '57P02': STOPPING,
  '57P03': STOPPING,
  '57P05': GONE,
  '57014': SLOW,
  '55P03': SLOW,
  '25P03': SLOW,
  '28': REFUSED,
  '53100': DISK,
  '58030': DISK,
  '53200': {
    fault: 'unavailable',
    what: 'has no memory left',
    fix: 'Give it more memory, or stop the queries that use it',
  },
  '53300': {
    fault: 'unavailable',
    what: 'has too many connections',
    fix: 'Raise max_connections there, or let each server use fewer connections',
  },
  '53400': DISK,
  '25006': {
    fault: 'unavailable',
    what: 'is read-only',
    fix: 'Point the address at the primary, not at a standby',
  },
  '3D000': {
    fault: 'unavailable',
    what: 'does not have that database',
    fix: 'Create it with: createdb NAME',
  },
  '42501': RIGHTS,
  '40001': { fault: 'busy', what: 'could not serialise concurrent writes', fix: 'Try again' },
  '40P01': { fault: 'busy', what: 'could not serialise concurrent writes', fix: 'Try again' },
  CONNECT_TIMEOUT: GONE,
  CONNECTION_CLOSED: GONE,
  CONNECTION_ENDED: GONE,
  CONNECTION_DESTROYED: GONE,
  ECONNREFUSED: GONE,
  ECONNRESET: GONE,
  ECONNABORTED: GONE,
  EPIPE: GONE,
  ETIMEDOUT: GONE,
  EHOSTUNREACH: GONE,
  ENETUNREACH: GONE,
  ENOTFOUND: GONE,
  EAI_AGAIN: GONE,
  DEADLINE: SLOW,
};

/** Errors after which nothing was written and a retry may succeed. */
export function isConflict(error: unknown): boolean {
  return /^(40001|40P01)$/.test(codeOf(error));
}

/** The connection ended during a query. */
export function isLost(error: unknown): boolean {
  return /^(CONNECTION_CLOSED|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(codeOf(error));
}

export function explained(error: unknown, place: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  const code = codeOf(error);
  const cause = CAUSES[code] ?? CAUSES[/^[0-9A-Z]{5}$/.test(code) ? code.slice(0, 2) : ''];
  if (cause === undefined) return error;
  const message = `Postgres at ${place} ${cause.what} (${error.message || code}). ${cause.fix}`;
  return new StoreError(cause.fault, message, { cause: error });
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  // Several addresses of one host failed, each for its own reason.
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  return String((first as { code?: unknown }).code ?? (error as { code?: unknown }).code ?? '');
}
