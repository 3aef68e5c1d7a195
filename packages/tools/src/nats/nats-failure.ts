/** The meaning of errors from NATS and the connection to it. Messages name the server, never the user or password. */
import { type ErrorKind, failure, type Outcome } from '@woof/net';
import { type NatsAddress, placeOf } from './nats-address.ts';

interface Meaning {
  kind: ErrorKind;
  fix?: string;
  retryable?: boolean;
}

const BY_NAME: Record<string, Meaning> = {
  AuthorizationError: { kind: 'auth', fix: 'check the credentials in auth' },
  UserAuthenticationExpiredError: { kind: 'auth' },
  PermissionViolationError: { kind: 'auth' },
  ClosedConnectionError: { kind: 'connection' },
  DrainingConnectionError: { kind: 'connection' },
  ConnectionError: { kind: 'connection' },
  ProtocolError: { kind: 'connection' },
  TimeoutError: { kind: 'timeout' },
  NoRespondersError: { kind: 'not_found', fix: 'no stream accepts this subject, or JetStream is off' },
  JetStreamNotEnabled: { kind: 'not_found', fix: 'start the server with -js' },
  StreamNotFoundError: { kind: 'not_found', fix: 'to create it, set create: true' },
  ConsumerNotFoundError: { kind: 'not_found' },
  InvalidSubjectError: { kind: 'schema' },
  InvalidNameError: { kind: 'schema' },
  InvalidArgumentError: { kind: 'schema' },
};

/** Codes of the JetStream API. */
const WRONG_REVISION = 10071;
const NO_ROOM = new Set([10023, 10047, 10077, 10028]);

export function natsFailure(error: unknown, address: NatsAddress, what: string): Outcome {
  const fault = rootOf(error);
  const { kind, fix, retryable } = meaningOf(fault);
  const code = codeOf(fault);
  const message = `nats ${placeOf(address)}: ${what}: ${fault.message}${fix ? `; ${fix}` : ''}`;
  return failure(kind, message, {
    ...(code === '' ? {} : { code }),
    ...(retryable === undefined ? {} : { retryable }),
  });
}

function meaningOf(fault: Error): Meaning {
  const code = codeOf(fault);
  if (code === WRONG_REVISION) return { kind: 'client_error', fix: 'the key has another revision' };
  if (NO_ROOM.has(Number(code))) return { kind: 'storage' };
  if (/certificate|self.signed|altname/i.test(`${code} ${fault.message}`))
    return { kind: 'connection', retryable: false, fix: 'set the certificates to trust in auth.ca' };
  if (/max_payload|payload size/i.test(fault.message))
    return { kind: 'storage', fix: 'put it into an object store instead' };
  // These errors have no code of their own.
  if (/store not found/.test(fault.message))
    return { kind: 'not_found', fix: 'to create the bucket, set create: true' };
  if (/disconnected|connection closed/.test(fault.message)) return { kind: 'connection' };
  const known = BY_NAME[fault.name];
  if (known) return known;
  if (/^E[A-Z]+$/.test(String(code))) return { kind: 'connection' };
  if (typeof code === 'number')
    return { kind: fault.name === 'JetStreamApiError' ? 'client_error' : 'unknown' };
  return { kind: 'unknown' };
}

/** The client wraps the socket's error. */
function rootOf(error: unknown): Error {
  let at = error instanceof Error ? error : new Error(String(error));
  while (at.cause instanceof Error && !BY_NAME[at.name]) at = at.cause;
  return at;
}

function codeOf(error: Error): string | number {
  const { code, cause } = error as Error & { code?: string | number };
  const inner = (cause as { code?: string } | undefined)?.code;
  return code ?? inner ?? '';
}
