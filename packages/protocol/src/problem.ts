/** The refusal of a server: `application/problem+json` with a code that programs can rely on. */

/** code → status, and a short description. */
export const PROBLEMS = {
  'request/invalid': [400, 'the request is invalid'],
  'auth/missing': [401, 'the request has no token'],
  'auth/wrong': [401, 'the token is unknown, revoked or expired'],
  'auth/role': [403, 'the role of the token does not allow this call'],
  'auth/worker': [403, 'a worker of that name uses another token'],
  'host/refused': [403, 'the server does not accept this host or origin'],
  'login/insecure': [403, 'a browser does not keep a session over this connection'],
  'not-found': [404, 'not found'],
  'request/conflict': [409, 'the current state does not allow this call'],
  'worker/protocol': [409, 'worker and server use different protocol versions'],
  'version/newer': [409, 'a newer version of Woof wrote what the call reads'],
  'worker/stale': [409, 'the job no longer belongs to this worker'],
  'secrets/unreadable': [409, 'a secret cannot be decrypted with the key of this server'],
  'request/too-large': [413, 'the request exceeds a size limit'],
  'document/invalid': [422, 'the document has errors'],
  'secrets/missing': [422, 'the server does not have a secret that the document uses'],
  'request/too-many': [429, 'too many requests, or too many runs in memory'],
  'server/fault': [500, 'internal server error'],
  'store/unavailable': [503, 'the store does not answer'],
  'store/full': [503, 'the disk of the store is full'],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof PROBLEMS;

export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail: string;
  [more: string]: unknown;
}

export class Problem extends Error {
  readonly status: number;

  constructor(
    readonly code: ProblemCode,
    detail: string,
    readonly more: Record<string, unknown> = {},
  ) {
    super(detail);
    this.status = PROBLEMS[code][0];
  }

  toBody(): ProblemBody {
    const { code, status, message, more } = this;
    return { type: `urn:woof:${code}`, title: PROBLEMS[code][1], status, code, detail: message, ...more };
  }
}
