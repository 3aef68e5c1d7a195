/**
 * The tables of lists in Postgres. Does not own: what is searched for, and in which order (lists/).
 *
 * A change has the number of its transaction, and transactions do not commit in the order of their numbers. So the
 * index takes only changes whose number is below every transaction in progress (`txid_snapshot_xmin`), and a reader of
 * changes receives those from there on again.
 */
import type { Listed, ListOrder } from '../lists/list-filter.ts';
import type {
  Block,
  BlockLook,
  Changed,
  IndexTables,
  ListSource,
  Posting,
  Watermark,
} from '../lists/list-tables.ts';
import { listed, type StoredRow } from '../lists/stored-row.ts';
import { fromPlain, fromPlainJson, toPlain } from '../plain-text.ts';
import { type Changes, type ExecutionRow, NO_COUNTS, type StatusCounts } from '../store.ts';
import { arrayOf, type Pool } from './pool.ts';

const COLUMNS = 'no, row::text, inputs';
const TIMES = 'started_from, started_to, ended_from, ended_to';
const SETTLED = 'txid_snapshot_xmin(txid_current_snapshot())';
const MARK = `coalesce((SELECT changed FROM woof.list_watermark), 0), coalesce((SELECT no FROM woof.list_watermark), 0)`;

/** A writer that waited for another to move the watermark finds that it has moved, and writes nothing. */
const SAVE = `
WITH moved AS (
  INSERT INTO woof.list_watermark AS w VALUES (1, $3, $4)
  ON CONFLICT (only_one) DO UPDATE SET changed = excluded.changed, no = excluded.no
  WHERE w.changed = $1 AND w.no = $2
  RETURNING 1
), removed AS (
  DELETE FROM woof.list_postings p USING unnest($5::text[], $6::bigint[], $7::text[]) AS n (term, block, rows)
  WHERE p.term = n.term AND p.block = n.block AND n.rows = '' AND EXISTS (SELECT 1 FROM moved)
), posted AS (
  INSERT INTO woof.list_postings
  SELECT block, term, decode(rows, 'hex') FROM unnest($5::text[], $6::bigint[], $7::text[]) AS n (term, block, rows)
  WHERE n.rows <> '' AND EXISTS (SELECT 1 FROM moved)
  ON CONFLICT (block, term) DO UPDATE SET rows = excluded.rows
), blocked AS (
  INSERT INTO woof.list_blocks
  SELECT block, f, t, ef, et, decode(ids, 'hex')
  FROM unnest($8::bigint[], $9::float8[], $10::float8[], $11::float8[], $12::float8[], $13::text[])
    AS b (block, f, t, ef, et, ids)
  WHERE EXISTS (SELECT 1 FROM moved)
  ON CONFLICT (block) DO UPDATE SET started_from = excluded.started_from, started_to = excluded.started_to,
    ended_from = excluded.ended_from, ended_to = excluded.ended_to, ids = excluded.ids
)
SELECT 1 FROM moved`;

export class PostgresLists implements ListSource, IndexTables {
  constructor(private readonly pool: Pool) {}

  async numberOf(id: string): Promise<number | undefined> {
    const sql = 'SELECT no FROM woof.executions WHERE id = $1';
    return (await this.pool.query<{ no: number }>(sql, [toPlain(id)]))[0]?.no;
  }

  async scan(from: number, order: ListOrder, count: number): Promise<Listed[]> {
    const where = order === 'oldest' ? 'no >= $1 ORDER BY no' : 'no <= $1 ORDER BY no DESC';
    const sql = `SELECT ${COLUMNS} FROM woof.executions WHERE ${where} LIMIT $2`;
    return (await this.pool.query<StoredRow>(sql, [from, count])).map(listed);
  }

  async rows(numbers: readonly number[]): Promise<Listed[]> {
    const sql = `SELECT ${COLUMNS} FROM woof.executions WHERE no = ANY ($1::bigint[])`;
    return (await this.pool.query<StoredRow>(sql, [arrayOf(numbers)])).map(listed);
  }

  async unindexed(most: number): Promise<number[] | undefined> {
    const sql = `SELECT no FROM woof.executions WHERE (changed, no) > (${MARK}) ORDER BY changed, no LIMIT $1`;
    const rows = await this.pool.query<{ no: number }>(sql, [most + 1]);
    return rows.length > most ? undefined : rows.map(({ no }) => no);
  }

  async postings(terms: readonly string[], blocks: readonly number[]): Promise<Posting[]> {
    // One index lookup for each: the planner's estimate of array lengths must not matter.
    const sql = `SELECT t.term, b.block, p.rows FROM unnest($1::bigint[]) AS b (block) CROSS JOIN unnest($2::text[]) AS t (term)
      CROSS JOIN LATERAL (
        SELECT rows FROM woof.list_postings p WHERE p.block = b.block AND p.term = t.term LIMIT 1
      ) p`;
    const values = [arrayOf(blocks), arrayOf(terms.map(toPlain))];
    const rows = await this.pool.query<Posting>(sql, values);
    return rows.map(({ term, block, rows: set }) => ({ term: fromPlain(term), block, rows: set }));
  }

  async looks(first: number, last: number, bytes: readonly number[]): Promise<BlockLook[]> {
    // Reading a part of a long value reads only that part from the disk.
    const marks = bytes
      .map((_, index) => `, get_byte(substr(ids, $${index + 3}, 1), 0) AS b${index}`)
      .join('');
    const sql = `SELECT block, ${TIMES}${marks} FROM woof.list_blocks WHERE block BETWEEN $1 AND $2 ORDER BY block`;
    const rows = await this.pool.query<BlockLook & Record<string, number>>(sql, [
      first,
      last,
      ...bytes.map((byte) => byte + 1),
    ]);
    return rows.map((row) => ({ ...row, bytes: bytes.map((_, index) => row[`b${index}`]!) }));
  }

  async idsWith(text: string, from: number, to: number): Promise<number[]> {
    const sql = `SELECT no FROM woof.executions WHERE no BETWEEN $1 AND $2 AND strpos(lower(id), $3) > 0`;
    return (await this.pool.query<{ no: number }>(sql, [from, to, text])).map(({ no }) => no);
  }

  async watermark(): Promise<Watermark> {
    const [mark] = await this.pool.query<Watermark>('SELECT changed, no FROM woof.list_watermark');
    return mark ?? { changed: 0, no: 0 };
  }

  async changedAfter({ changed, no }: Watermark, most: number): Promise<Changed[]> {
    const sql = `SELECT ${COLUMNS}, changed FROM woof.executions
      WHERE (changed, no) > ($1, $2) AND changed < ${SETTLED} ORDER BY changed, no LIMIT $3`;
    const rows = await this.pool.query<StoredRow & { changed: number }>(sql, [changed, no, most]);
    return rows.map((row) => ({ ...listed(row), changed: row.changed }));
  }

  async blocks(numbers: readonly number[]): Promise<Block[]> {
    const sql = `SELECT block, ${TIMES}, ids FROM woof.list_blocks WHERE block = ANY ($1::bigint[])`;
    return [...(await this.pool.query<Block>(sql, [arrayOf(numbers)]))];
  }

  async saveIndex(
    from: Watermark,
    to: Watermark,
    postings: readonly Posting[],
    blocks: readonly Block[],
  ): Promise<boolean> {
    const sets = [...postings].sort((a, b) => a.block - b.block || (a.term < b.term ? -1 : 1));
    const saved = await this.pool.query(SAVE, [
      ...[from.changed, from.no, to.changed, to.no],
      arrayOf(sets.map(({ term }) => toPlain(term))),
      arrayOf(sets.map(({ block }) => block)),
      arrayOf(sets.map(({ rows }) => Buffer.from(rows).toString('hex'))),
      arrayOf(blocks.map(({ block }) => block)),
      ...(['started_from', 'started_to', 'ended_from', 'ended_to'] as const).map((time) =>
        arrayOf(blocks.map((block) => block[time])),
      ),
      arrayOf(blocks.map(({ ids }) => Buffer.from(ids).toString('hex'))),
    ]);
    return saved.length > 0;
  }

  async changes(cursor: string | undefined, most: number): Promise<Changes> {
    const sql = `SELECT s.settled, e.row::text FROM (SELECT ${SETTLED} AS settled) s
      LEFT JOIN LATERAL (
        SELECT row, changed, no FROM woof.executions WHERE changed >= $1 ORDER BY changed, no LIMIT $2
      ) e ON TRUE ORDER BY e.changed, e.no`;
    // No transaction has a number this large.
    const after = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor);
    const found = await this.pool.query<{ settled: number; row: string | null }>(sql, [after, most + 1]);
    const rows = found.flatMap(({ row }) => (row === null ? [] : [fromPlainJson<ExecutionRow>(row)]));
    const isTooMany = rows.length > most;
    return { rows: isTooMany ? [] : rows, cursor: String(found[0]!.settled), isTooMany };
  }

  async counts(): Promise<StatusCounts> {
    const sql = 'SELECT status, sum(count)::bigint AS count FROM woof.status_counts GROUP BY status';
    const rows = await this.pool.query<{ status: keyof StatusCounts; count: number }>(sql);
    return { ...NO_COUNTS, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) };
  }
}
