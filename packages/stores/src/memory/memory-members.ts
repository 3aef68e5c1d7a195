/** The members of a store, in memory. */
import type { Member, MemberRow } from '../store.ts';

export const REMEMBERED_MS = 24 * 3600 * 1000;

interface Entry {
  member: string;
  since: number;
  seenAt: number;
  until: number;
}

export class MemoryMembers {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly clock: () => number) {}

  beat(member: Member, ttlMs: number): void {
    const now = this.clock();
    const known = this.entries.get(member.id);
    const isAlive = known !== undefined && known.until > now;
    // Never the same again after a gap, however short: what was held before the gap has ended.
    const since = isAlive ? known.since : Math.max(now, (known?.since ?? 0) + 1);
    const entry = { member: JSON.stringify(member), since, seenAt: now, until: now + ttlMs };
    this.entries.set(member.id, entry);
  }

  leave(id: string): void {
    const entry = this.entries.get(id);
    if (entry) entry.until = Math.min(entry.until, this.clock());
  }

  /** Since when the member has been alive; undefined if it is not. */
  aliveSince(id: string): number | undefined {
    const entry = this.entries.get(id);
    return entry && entry.until > this.clock() ? entry.since : undefined;
  }

  list(kind?: Member['kind']): MemberRow[] {
    const now = this.clock();
    const rows: MemberRow[] = [];
    for (const [id, { member, since, seenAt, until }] of this.entries) {
      if (until <= now - REMEMBERED_MS) this.entries.delete(id);
      else
        rows.push({ ...(JSON.parse(member) as Member), alive: until > now, since, seen_at: seenAt, until });
    }
    return rows.filter((row) => kind === undefined || row.kind === kind);
  }
}
