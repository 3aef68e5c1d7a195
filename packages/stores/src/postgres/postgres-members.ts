/** The members of a store, in Postgres, by the database's clock. */
import type { JsonObject } from '@woof/net';
import { REMEMBERED_MS } from '../memory/memory-members.ts';
import { fromPlain, toPlain } from '../plain-text.ts';
import type { Member, MemberRow } from '../store.ts';
import type { Pool } from './pool.ts';

/** `since` is never the same again after a gap, however short: what was held before the gap has ended. */
const BEAT = `
WITH at AS MATERIALIZED (SELECT woof.now_ms() AS now)
INSERT INTO woof.members AS m (id, kind, info, since, seen_at, until)
SELECT $1::text, $2::text, $3::text, now, now, now + $4::bigint FROM at
ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, info = excluded.info, seen_at = excluded.seen_at,
  since = CASE WHEN m.until > excluded.seen_at THEN m.since ELSE greatest(excluded.since, m.since + 1) END,
  until = excluded.until`;

const SWEEP = `
WITH at AS MATERIALIZED (SELECT woof.now_ms() AS now),
members AS (DELETE FROM woof.members WHERE until <= (SELECT now FROM at) - $1::bigint)
DELETE FROM woof.gates WHERE next_at <= (SELECT now FROM at)`;

const SWEEP_EVERY_MS = 60_000;

interface Row extends Omit<MemberRow, 'info'> {
  info: string;
}

export class PostgresMembers {
  private sweptAt = 0;

  constructor(private readonly pool: Pool) {}

  async now(): Promise<number> {
    return (await this.pool.query<{ now: number }>('SELECT woof.now_ms() AS now'))[0]!.now;
  }

  async beat(member: Member, ttlMs: number): Promise<void> {
    const info = JSON.stringify(member.info);
    await this.pool.query(BEAT, [toPlain(member.id), member.kind, info, Math.round(ttlMs)]);
    if (Date.now() - this.sweptAt < SWEEP_EVERY_MS) return;
    this.sweptAt = Date.now();
    await this.pool.query(SWEEP, [REMEMBERED_MS]);
  }

  async leave(id: string): Promise<void> {
    const sql = 'UPDATE woof.members SET until = least(until, woof.now_ms()) WHERE id = $1';
    await this.pool.query(sql, [toPlain(id)]);
  }

  async list(kind?: Member['kind']): Promise<MemberRow[]> {
    const sql = `WITH at AS MATERIALIZED (SELECT woof.now_ms() AS now)
      SELECT id, kind, info, until > now AS alive, since, seen_at, until FROM woof.members, at
      WHERE until > now - $1::bigint AND kind = coalesce($2, kind) ORDER BY since, id`;
    const rows = await this.pool.query<Row>(sql, [REMEMBERED_MS, kind ?? null]);
    return rows.map((row) => ({
      ...row,
      id: fromPlain(row.id),
      info: JSON.parse(row.info) as JsonObject,
    }));
  }
}
