/**
 * The members of a store, in SQLite. Written without a disk sync: the data outlives the process, and after a crash of
 * the machine no member is alive.
 */
import type { JsonObject } from '@woof/net';
import { REMEMBERED_MS } from '../memory/memory-members.ts';
import { fromPlain, toPlain } from '../plain-text.ts';
import type { Member, MemberRow } from '../store.ts';
import type { Sql } from './sql.ts';

interface Row extends Omit<MemberRow, 'info' | 'alive'> {
  info: string;
}

export class SqliteMembers {
  constructor(private readonly sql: Sql) {}

  /** `since` is never the same again after a gap, however short: what was held before the gap has ended. */
  beat(member: Member, ttlMs: number): void {
    const now = Date.now();
    const values = [
      toPlain(member.id),
      member.kind,
      JSON.stringify(member.info),
      now,
      now,
      now + ttlMs,
    ] as const;
    this.sql.run(
      `INSERT INTO members (id, kind, info, since, seen_at, until) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, info = excluded.info, seen_at = excluded.seen_at,
        since = CASE WHEN until > excluded.seen_at THEN since ELSE max(excluded.since, since + 1) END, until = excluded.until`,
      ...values,
    );
    this.sql.run('DELETE FROM members WHERE until <= ?', now - REMEMBERED_MS);
  }

  leave(id: string): void {
    this.sql.run('UPDATE members SET until = min(until, ?) WHERE id = ?', Date.now(), toPlain(id));
  }

  aliveSince(id: string): number | undefined {
    const alive = 'SELECT since FROM members WHERE id = ? AND until > ?';
    return this.sql.all<{ since: number }>(alive, toPlain(id), Date.now())[0]?.since;
  }

  list(kind?: Member['kind']): MemberRow[] {
    const now = Date.now();
    const sql = 'SELECT * FROM members WHERE until > ? AND kind = coalesce(?, kind)';
    return this.sql.all<Row>(sql, now - REMEMBERED_MS, kind ?? null).map(({ id, info, ...row }) => ({
      ...row,
      id: fromPlain(id),
      info: JSON.parse(info) as JsonObject,
      alive: row.until > now,
    }));
  }
}
