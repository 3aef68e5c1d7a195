/** Who may make a call: Host and Origin, then the token, its role, and how often. Nothing of a body is read before. */
import { Problem, type Route } from '@woof/protocol';
import type { FastifyRequest } from 'fastify';
import type { HostCheck } from './host-check.ts';
import type { RateLimit } from './rate-limit.ts';
import { ANYONE, mayDo, type Tokens, type Who } from './tokens.ts';

export interface GateParts {
  hosts: HostCheck;
  tokens: Tokens;
  /** Calls a token. */
  rate: RateLimit;
  /** Calls an address without a good token. */
  strangers: RateLimit;
}

/** Whom a call takes. */
type Admission = Pick<Route, 'role' | 'worker' | 'unlimited'>;

export class Gate {
  constructor(private readonly parts: GateParts) {}

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
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    // Taken before the store is asked: whoever guesses has it asked no more often than a stranger may call.
    const isStranger = token === undefined || !this.parts.tokens.hasMet(token);
    if (isStranger) limit(this.parts.strangers.take(request.ip));
    const who = token === undefined ? undefined : await this.parts.tokens.read(token);
    if (who !== undefined) {
      if (isStranger) this.parts.strangers.giveBack(request.ip);
      return who;
    }
    if (!isStranger) limit(this.parts.strangers.take(request.ip));
    if (token === undefined)
      throw new Problem('auth/missing', 'send the header Authorization: Bearer woof_…');
    throw new Problem('auth/wrong', 'the token is unknown, revoked or expired');
  }
}

function limit(waitS: number): void {
  if (waitS > 0)
    throw new Problem('request/too-many', `too many requests; try again in ${waitS} s`, {
      retry_after_s: waitS,
    });
}
