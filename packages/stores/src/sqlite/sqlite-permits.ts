/** Permits in SQLite: only one process asks, so nothing happens between two statements. */
import { ASK_AGAIN_MS } from '../memory/memory-permits.ts';
import { fromPlain, toPlain } from '../plain-text.ts';
import type { Held, Permit, Permits } from '../store.ts';
import type { Sql } from './sql.ts';
import type { SqliteMembers } from './sqlite-members.ts';

/** A permit does not outlive a gap in the presence of its member. */
const IS_LIVING = `EXISTS (SELECT 1 FROM members m
  WHERE m.id = permits.member AND m.since = permits.member_since AND m.until > ?)`;

type Names = [string, string, string];

export class SqlitePermits implements Permits {
  constructor(
    private readonly sql: Sql,
    private readonly members: SqliteMembers,
  ) {}

  async enter(permit: Permit): Promise<number> {
    const memberSince = this.members.aliveSince(permit.member);
    if (memberSince === undefined) return ASK_AGAIN_MS;
    const [key, holder, member] = [permit.key, permit.holder, permit.member].map(toPlain) as Names;
    return this.sql.transaction(() => this.enterAs({ ...permit, key, holder, member }, memberSince));
  }

  private enterAs({ key, holder, member, concurrency, perSecond }: Permit, memberSince: number): number {
    const now = Date.now();
    this.sql.run(`DELETE FROM permits WHERE key = ? AND NOT ${IS_LIVING}`, key, now);
    const inside = this.sql.all<{ holder: string }>('SELECT holder FROM permits WHERE key = ?', key);
    if (inside.some((held) => held.holder === holder)) return 0;
    if (concurrency !== null && inside.length >= concurrency) return ASK_AGAIN_MS;
    const waitMs = perSecond === null ? 0 : this.pass(key, now, 1000 / perSecond);
    if (waitMs > 0) return waitMs;
    this.sql.run('INSERT INTO permits VALUES (?, ?, ?, ?, ?)', key, holder, member, memberSince, now);
    return 0;
  }

  /** Times that have passed need not be remembered. The table has an old name. */
  private pass(key: string, now: number, intervalMs: number): number {
    const [last] = this.sql.all<{ next_at: number }>('SELECT next_at FROM gates WHERE key = ?', key);
    if (last && last.next_at > now) return Math.ceil(last.next_at - now);
    this.sql.run('DELETE FROM gates WHERE next_at <= ?', now);
    this.sql.run('INSERT INTO gates VALUES (?, ?)', key, now + intervalMs);
    return 0;
  }

  async exit(key: string, holder: string): Promise<void> {
    this.sql.run('DELETE FROM permits WHERE key = ? AND holder = ?', toPlain(key), toPlain(holder));
  }

  async held(): Promise<Held[]> {
    const sql = `SELECT key, holder, member, since FROM permits WHERE ${IS_LIVING}`;
    const rows = this.sql.all<Held>(sql, Date.now());
    return rows.map(({ key, holder, member, since }) => ({
      key: fromPlain(key),
      holder: fromPlain(holder),
      member: fromPlain(member),
      since,
    }));
  }
}
