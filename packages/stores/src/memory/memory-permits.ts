/** Permits in memory. */
import type { Held, Permit, Permits } from '../store.ts';
import type { MemoryMembers } from './memory-members.ts';

/**
 * How long a task run waits if the limit is full. Servers tell it when a holder leaves, but not when a holder's process
 * is gone.
 */
export const ASK_AGAIN_MS = 1000;

interface Inside {
  member: string;
  /** `since` of the member when it entered: a permit does not outlive a gap. */
  memberSince: number;
  since: number;
}

interface Limited {
  inside: Map<string, Inside>;
  /** When the next may enter. */
  nextAt: number;
}

export class MemoryPermits implements Permits {
  private readonly limits = new Map<string, Limited>();

  constructor(
    private readonly members: MemoryMembers,
    private readonly clock: () => number,
  ) {}

  async enter({ key, holder, member, concurrency, perSecond }: Permit): Promise<number> {
    const memberSince = this.members.aliveSince(member);
    if (memberSince === undefined) return ASK_AGAIN_MS;
    const limit = this.swept(key);
    const now = this.clock();
    if (limit.inside.has(holder)) return 0;
    if (concurrency !== null && limit.inside.size >= concurrency) return ASK_AGAIN_MS;
    if (perSecond !== null) {
      if (limit.nextAt > now) return Math.ceil(limit.nextAt - now);
      limit.nextAt = now + 1000 / perSecond;
    }
    limit.inside.set(holder, { member, memberSince, since: now });
    return 0;
  }

  async exit(key: string, holder: string): Promise<void> {
    const limit = this.swept(key);
    limit.inside.delete(holder);
    if (limit.inside.size === 0 && limit.nextAt <= this.clock()) this.limits.delete(key);
  }

  async held(): Promise<Held[]> {
    return [...this.limits.keys()].flatMap((key) =>
      [...this.swept(key).inside].map(([holder, { member, since }]) => ({ key, holder, member, since })),
    );
  }

  /** The limit, without holders whose member is gone. */
  private swept(key: string): Limited {
    const limit = this.limits.get(key) ?? { inside: new Map(), nextAt: 0 };
    this.limits.set(key, limit);
    for (const [holder, held] of limit.inside) {
      if (this.members.aliveSince(held.member) !== held.memberSince) limit.inside.delete(holder);
    }
    return limit;
  }
}
