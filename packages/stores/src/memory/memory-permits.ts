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

interface Gate {
  inside: Map<string, Inside>;
  /** When the next may enter. */
  nextAt: number;
}

export class MemoryPermits implements Permits {
  private readonly gates = new Map<string, Gate>();

  constructor(
    private readonly members: MemoryMembers,
    private readonly clock: () => number,
  ) {}

  async enter({ key, holder, member, concurrency, perSecond }: Permit): Promise<number> {
    const memberSince = this.members.aliveSince(member);
    if (memberSince === undefined) return ASK_AGAIN_MS;
    const gate = this.swept(key);
    const now = this.clock();
    if (gate.inside.has(holder)) return 0;
    if (concurrency !== null && gate.inside.size >= concurrency) return ASK_AGAIN_MS;
    if (perSecond !== null) {
      if (gate.nextAt > now) return Math.ceil(gate.nextAt - now);
      gate.nextAt = now + 1000 / perSecond;
    }
    gate.inside.set(holder, { member, memberSince, since: now });
    return 0;
  }

  async exit(key: string, holder: string): Promise<void> {
    const gate = this.swept(key);
    gate.inside.delete(holder);
    if (gate.inside.size === 0 && gate.nextAt <= this.clock()) this.gates.delete(key);
  }

  async held(): Promise<Held[]> {
    return [...this.gates.keys()].flatMap((key) =>
      [...this.swept(key).inside].map(([holder, { member, since }]) => ({ key, holder, member, since })),
    );
  }

  /** The gate, without holders whose member is gone. */
  private swept(key: string): Gate {
    const gate = this.gates.get(key) ?? { inside: new Map(), nextAt: 0 };
    this.gates.set(key, gate);
    for (const [holder, held] of gate.inside) {
      if (this.members.aliveSince(held.member) !== held.memberSince) gate.inside.delete(holder);
    }
    return gate;
  }
}
