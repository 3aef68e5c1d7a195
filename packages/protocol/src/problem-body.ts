/** A refusal as the server sends it: `application/problem+json`. */
import type { Problem, ProblemCode } from './problem.ts';

/** Not part of a problem, because only servers need them, and every page of Studio contains problems. */
const TITLES: Record<ProblemCode, string> = {
  'request/invalid': 'the request is invalid',
  'auth/missing': 'the request has no token',
  'auth/wrong': 'the token is unknown, revoked or expired',
  'auth/role': 'the role of the token does not allow this call',
  'auth/worker': 'a worker of that name uses another token',
  'host/refused': 'the server does not accept this host or origin',
  'login/insecure': 'a browser does not keep a session over this connection',
  'not-found': 'not found',
  'request/conflict': 'the current state does not allow this call',
  'worker/protocol': 'worker and server use different protocol versions',
  'version/newer': 'a newer version of Woof wrote what the call reads',
  'worker/stale': 'the job no longer belongs to this worker',
  'secrets/unreadable': 'a secret cannot be decrypted with the key of this server',
  'request/too-large': 'the request exceeds a size limit',
  'document/invalid': 'the document has errors',
  'secrets/missing': 'the server does not have a secret that the document uses',
  'request/too-many': 'too many requests, or too many runs in memory',
  'server/fault': 'internal server error',
  'store/unavailable': 'the store does not answer',
  'store/full': 'the disk of the store is full',
};

export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  code: ProblemCode;
  detail: string;
  [more: string]: unknown;
}

export function problemBody({ code, status, message, more }: Problem): ProblemBody {
  return { type: `urn:woof:${code}`, title: TITLES[code], status, code, detail: message, ...more };
}
