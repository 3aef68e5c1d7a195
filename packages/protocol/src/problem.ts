/** What a server says when it refuses: `application/problem+json` with a code that programs can rely on. */

/** code → status, and what it means in a few words. */
export const PROBLEMS = {
  'request/invalid': [400, 'the request is not what this call takes'],
  'auth/missing': [401, 'a token is needed'],
  'auth/wrong': [401, 'the token is unknown, revoked or expired'],
  'auth/role': [403, 'the token may not do this'],
  'auth/worker': [403, 'the worker of that name has another token'],
  'host/refused': [403, 'this host or origin may not call the server'],
  'not-found': [404, 'there is nothing of that name'],
  'request/conflict': [409, 'it is not in a state that allows this'],
  'worker/protocol': [409, 'worker and server speak different versions'],
  'worker/stale': [409, 'the job is no longer this worker’s'],
  'secrets/unreadable': [409, 'a secret cannot be opened with the key of this server'],
  'request/too-large': [413, 'the request is larger than the limit'],
  'document/invalid': [422, 'the document has errors'],
  'secrets/missing': [422, 'a secret that the document uses is not there'],
  'request/too-many': [429, 'too many requests, or too much work already'],
  'server/fault': [500, 'a fault of the server'],
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
