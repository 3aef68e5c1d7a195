/**
 * Removes runs that ended long ago: their rows one by one, their frames and snapshots with the partition of their period.
 * Owns: which runs go, and when a period begins and ends. Does not own: how (the functions in migrations.ts).
 *
 * With 100,000 runs of 8 frames each, deleting the frames and vacuuming takes 21 s, writes 577 MB of WAL and frees no
 * disk space. Dropping their partition takes 0.8 s and 0.1 MB. An append costs the database 6 to 8 % more CPU with 5
 * partitions than without, and 18 to 27 % more with 13, because its plan names all of them. So the retention time has
 * three periods, however long it is, and a database that keeps everything has one.
 *
 * There is no default partition: attaching another one would lock and scan it. `DETACH CONCURRENTLY` would need a
 * repair after a crash; a `DROP` that does not get its lock in time is tried again in an hour.
 *
 * Invariants: a row goes before its frames, so nobody finds a run without its log. A run and the runs that it called go
 * together. Numbers are given only in periods that have their partitions. Each piece is a transaction, so whoever
 * continues after a crash starts over.
 */
import { BLOCK_ROWS } from '../lists/row-set.ts';
import type { Pool } from './pool.ts';

const PERIODS_KEPT = 3;
const ROWS_AT_ONCE = 1000;
const FRAMES_AT_ONCE = 5000;
const ENDED = `('succeeded', 'failed', 'cancelled')`;
const GOING = `('running', 'paused', 'needs_human')`;

/**
 * Runs are numbered as they start, so none that started after the time has ended before it. A nested run goes with its
 * root run: if that ended before the time, if no run of its family is still going, and if no rerun adopted its steps.
 */
const FORGET_ROWS = `
WITH at AS MATERIALIZED (SELECT woof.now_ms() - $1::bigint * 86400000 AS kept_from),
looked AS MATERIALIZED (
  SELECT no, id, status, parent, (row ->> 'started_at')::float8 AS started_at, (row ->> 'ended_at')::float8 AS ended_at
  FROM woof.executions WHERE no > $2 ORDER BY no LIMIT $3
), families AS MATERIALIZED (
  SELECT l.no, l.id AS own, root.* FROM looked l CROSS JOIN LATERAL (
    WITH RECURSIVE above AS (
      SELECT e.id, e.parent, e.status, e.row FROM woof.executions e WHERE e.no = l.no
      UNION ALL SELECT e.id, e.parent, e.status, e.row FROM above a JOIN woof.executions e ON e.id = a.parent
    )
    SELECT a.id, a.status, (a.row ->> 'ended_at')::float8 AS ended_at FROM above a
    WHERE NOT EXISTS (SELECT 1 FROM above p WHERE p.id = a.parent)
  ) root
), going AS MATERIALIZED (
  WITH RECURSIVE above AS (
    SELECT id, parent FROM woof.executions WHERE parent IS NOT NULL AND status IN ${GOING}
    UNION SELECT e.id, e.parent FROM above a JOIN woof.executions e ON e.id = a.parent
  )
  SELECT id FROM above
), old AS (
  SELECT f.no FROM families f, at WHERE f.status IN ${ENDED} AND f.ended_at < kept_from
  AND f.id NOT IN (SELECT id FROM going)
  AND NOT EXISTS (SELECT 1 FROM woof.executions r WHERE (r.row ->> 'rerun_of') COLLATE "C" IN (f.id, f.own))
), gone AS (
  DELETE FROM woof.executions e WHERE e.no = ANY (ARRAY(SELECT no FROM old)) AND e.status IN ${ENDED}
  RETURNING e.no, e.status, e.parent
), woken AS (
  DELETE FROM woof.wakes w WHERE w.no IN (SELECT no FROM gone)
), counted AS (
  INSERT INTO woof.status_counts AS s SELECT 0, status, -count(*) FROM gone WHERE parent IS NULL GROUP BY status ORDER BY status
  ON CONFLICT (part, status) DO UPDATE SET count = s.count + excluded.count
)
SELECT max(no) AS last, count(*) = $3 AND bool_and(started_at < kept_from) AS is_more FROM looked, at`;

const CLOSED = `
SELECT name, first_no, end_no, closed_on + $1::bigint <= woof.now_ms() / 86400000 AS is_late,
  NOT EXISTS (SELECT 1 FROM woof.executions e WHERE e.no >= p.first_no AND e.no < p.end_no) AS is_empty
FROM woof.periods p WHERE end_no <= woof.newest_no() ORDER BY first_no`;

const FORGET_POSTINGS = `DELETE FROM woof.list_postings WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM woof.list_postings WHERE block >= $1 AND block < $2 LIMIT $3)) RETURNING block`;
const FORGET_BLOCKS = 'DELETE FROM woof.list_blocks WHERE block >= $1 AND block < $2';

const FORGET_FRAMES = `
WITH old AS MATERIALIZED (
  SELECT no, seq FROM woof.frames f WHERE no >= $1 AND no < $2
  AND NOT EXISTS (SELECT 1 FROM woof.executions e WHERE e.no = f.no)
  ORDER BY no, seq LIMIT $3
), snapshots AS (
  DELETE FROM woof.snapshots s WHERE s.no IN (SELECT no FROM old)
), gone AS (
  DELETE FROM woof.frames f USING old o WHERE f.no = o.no AND f.seq = o.seq
)
SELECT max(no) AS last, count(*) = $3 AS is_more FROM old`;

interface Piece {
  last: number | null;
  is_more: boolean | null;
}

interface Period {
  name: string;
  first_no: number;
  end_no: number;
  /** All that began in it should be gone. */
  is_late: boolean;
  is_empty: boolean;
}

export class PostgresRetention {
  private work: AsyncGenerator<void> | undefined;

  constructor(private readonly pool: Pool) {}

  /** Does the next piece. True: there is more. */
  async forget(days: number): Promise<boolean> {
    this.work ??= this.sweep(days);
    const { work } = this;
    this.work = undefined;
    const { done } = await work.next();
    if (!done) this.work = work;
    return !done;
  }

  private async *sweep(days: number): AsyncGenerator<void> {
    const length = Math.ceil(days / PERIODS_KEPT);
    await this.pool.query('SELECT woof.add_period($1)', [length]);
    await this.pool.query('SELECT woof.enter_period()');
    yield* this.pieces(FORGET_ROWS, (after) => [days, after, ROWS_AT_ONCE], 0);
    for (const period of await this.pool.query<Period>(CLOSED, [days + length])) {
      if (period.is_empty) yield* this.drop(period);
      else if (period.is_late) yield* this.forgetFrames(period);
    }
  }

  private forgetFrames({ first_no, end_no }: Period): AsyncGenerator<void> {
    return this.pieces(FORGET_FRAMES, (from) => [from, end_no, FRAMES_AT_ONCE], first_no);
  }

  private async *pieces(sql: string, values: (from: number) => number[], from: number): AsyncGenerator<void> {
    for (;;) {
      const [piece] = await this.pool.query<Piece>(sql, values(from));
      if (!piece!.is_more) return;
      from = piece!.last!;
      yield;
    }
  }

  private async *drop({ name, first_no, end_no }: Period): AsyncGenerator<void> {
    const blocks = [first_no / BLOCK_ROWS, end_no / BLOCK_ROWS];
    while ((await this.pool.query(FORGET_POSTINGS, [...blocks, FRAMES_AT_ONCE])).length === FRAMES_AT_ONCE)
      yield;
    await this.pool.query(FORGET_BLOCKS, blocks);
    await this.pool.query('SELECT woof.drop_period($1)', [name]);
    yield;
  }
}
