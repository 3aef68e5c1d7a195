/** The refusal of a server, with a code that programs can rely on. */

/** code → status */
export const PROBLEMS = {
  'request/invalid': 400,
  'auth/missing': 401,
  'auth/wrong': 401,
  'auth/role': 403,
  'auth/worker': 403,
  'host/refused': 403,
  'login/insecure': 403,
  'not-found': 404,
  'request/conflict': 409,
  'worker/protocol': 409,
  'version/newer': 409,
  'worker/stale': 409,
  'secrets/unreadable': 409,
  'request/too-large': 413,
  'document/invalid': 422,
  'secrets/missing': 422,
  'request/too-many': 429,
  'server/fault': 500,
  'store/unavailable': 503,
  'store/full': 503,
} as const satisfies Record<string, number>;

export type ProblemCode = keyof typeof PROBLEMS;

export class Problem extends Error {
  readonly status: number;

  constructor(
    readonly code: ProblemCode,
    detail: string,
    readonly more: Record<string, unknown> = {},
  ) {
    super(detail);
    this.status = PROBLEMS[code];
  }
}
