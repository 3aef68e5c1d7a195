/**
 * Who may make a call: Host and Origin, then the token or the session of a browser, its role, and how often. Nothing of a
 * body is read before.
 */
import { Problem, type Route } from '@woof/protocol';
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
  /** Calls a token. */
  rate: RateLimit;
  /** Calls an address without a good token. */
  strangers: RateLimit;
}

/** Whom a call takes. */
type Admission = Pick<Route, 'role' | 'worker' | 'unlimited'>;

export class AccessCheck {
  constructor(private readonly parts: AccessParts) {}

  async enter(request: FastifyRequest, { role, worker, unlimited }: Admission): Promise<Who> {
    this.parts.hosts.check(request.method, request.headers);
    if (role === 'anyone') {
      if (!unlimited) limit(this.parts.strangers.take(request.ip));
      return ANYONE;
    }
    const who = await this.whoIs(request);
    // Workers pace themselves: slowing them down slows the work.
    if (who.role !== 'worker') limit(this.parts.rate.take(who.id));
    if (!mayDo(who.role, role, worker ?? false)) {
      throw new Problem('auth/role', `this call needs the role ${role}; the token has the role ${who.role}`);
    }
    return who;
  }

  private async whoIs(request: FastifyRequest): Promise<Who> {
    const { strangers } = this.parts;
    const shown = this.shownBy(request);
    // Taken before the store is asked: whoever guesses has it asked no more often than a stranger may call.
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

  /** A token, or the cookie if there is none: a cookie does not make up for a wrong token. */
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

/** What a caller shows to say who it is. */
interface Shown {
  /** Whether it was good when it was last looked up. Asks no store. */
  isMet(): boolean;
  read(): Promise<Who | undefined>;
  /** What a caller hears if it is not good. */
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
