/**
 * Decides who may make a call: it checks Host and Origin, then the token or the browser session, its role, and the rate
 * limit. No part of the body is read before that.
 */
import { Problem } from '@woof/protocol';
import type { CallDescription } from '@woof/protocol/http';
import type { FastifyRequest } from 'fastify';
import type { HostCheck } from './host-check.ts';
import type { RateLimit } from './rate-limit.ts';
import { sessionIds } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';
import { ANYONE, mayDo, type Tokens, type Who } from './tokens.ts';

export interface AccessParts {
  hosts: HostCheck;
  tokens: Tokens;
  sessions: Sessions;
  /** Calls per token. */
  rate: RateLimit;
  /** Calls per address without a valid token. */
  strangers: RateLimit;
}

/** Who may make a call. */
type Admission = Pick<CallDescription, 'role' | 'worker' | 'unlimited'>;

export class AccessCheck {
  constructor(private readonly parts: AccessParts) {}

  async enter(request: FastifyRequest, { role, worker, unlimited }: Admission): Promise<Who> {
    this.parts.hosts.check(request.method, request.headers);
    if (role === 'anyone') {
      if (!unlimited) limit(this.parts.strangers.take(request.ip));
      return ANYONE;
    }
    const who = await this.whoIs(request);
    // Workers pace themselves. Limiting them would only slow down the work.
    if (who.role !== 'worker') limit(this.parts.rate.take(who.id));
    if (!mayDo(who.role, role, worker ?? false)) {
      throw new Problem('auth/role', `this call needs the role ${role}; the token has the role ${who.role}`);
    }
    return who;
  }

  private async whoIs(request: FastifyRequest): Promise<Who> {
    const { strangers } = this.parts;
    const shown = this.shownBy(request);
    // Counted before the store is asked, so that guessing tokens causes no more lookups than a stranger has calls.
    const isStranger = !shown?.isMet();
    if (isStranger) limit(strangers.take(request.ip));
    const who = await shown?.read();
    if (who !== undefined) {
      if (isStranger) strangers.giveBack(request.ip);
      return who;
    }
    if (!isStranger) limit(strangers.take(request.ip));
    if (shown === undefined)
      throw new Problem('auth/missing', 'send the header Authorization: Bearer woof_…, or sign in');
    throw new Problem('auth/wrong', shown.wrong);
  }

  /** The token, or the cookie if there is no token: a cookie does not make up for a wrong token. */
  private shownBy({ method, headers }: FastifyRequest): Shown | undefined {
    const { hosts, tokens, sessions } = this.parts;
    const { authorization = '', cookie } = headers;
    if (/^Bearer\b/i.test(authorization)) return shownToken(tokens, authorization);
    const ids = sessionIds(cookie);
    if (ids.length === 0) return undefined;
    hosts.checkPage(method, headers);
    return {
      isMet: () => sessions.hasMet(ids),
      read: () => sessions.read(ids),
      wrong: 'the session has ended, or is of another server; sign in again',
    };
  }
}

/** The credential that a caller presents. */
interface Shown {
  /** Whether it was valid at the last lookup. Does not ask the store. */
  isMet(): boolean;
  read(): Promise<Who | undefined>;
  /** What the caller is told if it is not valid. */
  wrong: string;
}

function shownToken(tokens: Tokens, authorization: string): Shown | undefined {
  const [, token] = /^Bearer (\S+)$/i.exec(authorization) ?? [];
  if (token === undefined) return undefined;
  return {
    isMet: () => tokens.hasMet(token),
    read: () => tokens.read(token),
    wrong: 'the token is unknown, revoked or expired',
  };
}

function limit(waitS: number): void {
  if (waitS > 0)
    throw new Problem('request/too-many', `too many requests; try again in ${waitS} s`, {
      retry_after_s: waitS,
    });
}
