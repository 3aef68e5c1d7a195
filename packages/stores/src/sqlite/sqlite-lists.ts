/** The tables of lists in SQLite. Does not own: what is searched for, and in which order (lists/). */
import type { Listed, ListOrder } from '../lists/list-filter.ts';
import type {
  Block,
  BlockLook,
  BlockTimes,
  Changed,
  IndexTables,
  ListSource,
  Posting,
  Watermark,
} from '../lists/list-tables.ts';
import { listed, type StoredRow } from '../lists/stored-row.ts';
import { fromPlain, fromPlainJson, toPlain } from '../plain-text.ts';
import type { Changes, ExecutionRow } from '../store.ts';
import type { Sql } from './sql.ts';

const COLUMNS = 'no, row, inputs';
const TIMES = 'started_from, started_to, ended_from, ended_to';

export class SqliteLists implements ListSource, IndexTables {
  constructor(private readonly sql: Sql) {}

  async numberOf(id: string): Promise<number | undefined> {
    return this.sql.all<{ no: number }>('SELECT no FROM executions WHERE id = ?', toPlain(id))[0]?.no;
  }

  async scan(from: number, order: ListOrder, count: number): Promise<Listed[]> {
    const where = order === 'oldest' ? 'no >= ? ORDER BY no' : 'no <= ? ORDER BY no DESC';
    return this.sql
      .all<StoredRow>(`SELECT ${COLUMNS} FROM executions WHERE ${where} LIMIT ?`, from, count)
      .map(listed);
  }

  async rows(numbers: readonly number[]): Promise<Listed[]> {
    const sql = `SELECT ${COLUMNS} FROM executions WHERE no IN (SELECT value FROM json_each(?))`;
    return this.sql.all<StoredRow>(sql, JSON.stringify(numbers)).map(listed);
  }

  async unindexed(most: number): Promise<number[] | undefined> {
    const { changed, no } = await this.watermark();
    const sql = `SELECT no FROM executions WHERE (changed, no) > (?, ?) LIMIT ?`;
    const rows = this.sql.all<{ no: number }>(sql, changed, no, most + 1);
    return rows.length > most ? undefined : rows.map((row) => row.no);
  }

  async postings(terms: readonly string[], blocks: readonly number[]): Promise<Posting[]> {
    const sql = `SELECT p.term, p.block, p.rows FROM json_each(?) AS b CROSS JOIN json_each(?) AS t
      CROSS JOIN list_postings AS p ON p.block = b.value AND p.term = t.value`;
    const words = JSON.stringify(terms.map(toPlain));
    const rows = this.sql.all<Posting>(sql, JSON.stringify(blocks), words);
    return rows.map(({ term, block, rows: set }) => ({ term: fromPlain(term), block, rows: set }));
  }

  async looks(first: number, last: number, bytes: readonly number[]): Promise<BlockLook[]> {
    const marks = bytes.map((_, index) => `, substr(ids, ?, 1) AS b${index}`).join('');
    const sql = `SELECT block, ${TIMES}${marks} FROM list_blocks WHERE block BETWEEN ? AND ?`;
    const places = bytes.map((byte) => byte + 1);
    const rows = this.sql.all<BlockLook & Record<string, Uint8Array>>(sql, ...places, first, last);
    return rows.map((row) => ({ ...row, bytes: bytes.map((_, index) => row[`b${index}`]![0]!) }));
  }

  async idsWith(text: string, from: number, to: number): Promise<number[]> {
    const sql = 'SELECT no FROM executions WHERE no BETWEEN ? AND ? AND instr(lower(id), ?)';
    return this.sql.all<{ no: number }>(sql, from, to, text).map(({ no }) => no);
  }

  async watermark(): Promise<Watermark> {
    return this.mark();
  }

  async changedAfter({ changed, no }: Watermark, most: number): Promise<Changed[]> {
    const sql = `SELECT ${COLUMNS}, changed FROM executions WHERE (changed, no) > (?, ?) ORDER BY changed, no LIMIT ?`;
    const rows = this.sql.all<StoredRow & { changed: number }>(sql, changed, no, most);
    return rows.map((row) => ({ ...listed(row), changed: row.changed }));
  }

  async blocks(numbers: readonly number[]): Promise<Block[]> {
    const sql = `SELECT block, ${TIMES}, ids FROM list_blocks WHERE block IN (SELECT value FROM json_each(?))`;
    return this.sql.all<Block>(sql, JSON.stringify(numbers));
  }

  async saveIndex(
    from: Watermark,
    to: Watermark,
    postings: readonly Posting[],
    blocks: readonly Block[],
  ): Promise<boolean> {
    return this.sql.transaction(() => {
      const now = this.mark();
      if (now.changed !== from.changed || now.no !== from.no) return false;
      for (const posting of inKeyOrder(postings)) this.savePosting(posting);
      for (const block of blocks) this.saveBlock(block);
      this.sql.run('INSERT OR REPLACE INTO list_watermark VALUES (1, ?, ?)', to.changed, to.no);
      return true;
    });
  }

  /** The rows changed after a given change; one process at a time numbers changes. */
  changes(cursor: string | undefined, most: number): Changes {
    const last = 'SELECT coalesce(max(changed), 0) AS changed FROM executions';
    const to = this.sql.all<{ changed: number }>(last)[0]!.changed;
    const nothing = { rows: [], cursor: String(to), isTooMany: false };
    if (cursor === undefined || Number(cursor) === to) return nothing;
    const sql = 'SELECT row FROM executions WHERE changed > ? ORDER BY changed LIMIT ?';
    const rows = this.sql.all<{ row: string }>(sql, Number(cursor), most + 1);
    if (rows.length > most) return { ...nothing, isTooMany: true };
    return { ...nothing, rows: rows.map(({ row }) => fromPlainJson<ExecutionRow>(row)) };
  }

  private mark(): Watermark {
    const [mark] = this.sql.all<Watermark>('SELECT changed, no FROM list_watermark');
    return mark ?? { changed: 0, no: 0 };
  }

  private savePosting({ term, block, rows }: Posting): void {
    if (rows.length === 0)
      this.sql.run('DELETE FROM list_postings WHERE term = ? AND block = ?', toPlain(term), block);
    else this.sql.run('INSERT OR REPLACE INTO list_postings VALUES (?, ?, ?)', block, toPlain(term), rows);
  }

  private saveBlock({ block, ids, ...times }: Block): void {
    const { started_from, started_to, ended_from, ended_to }: BlockTimes = times;
    const sql = 'INSERT OR REPLACE INTO list_blocks VALUES (?, ?, ?, ?, ?, ?)';
    this.sql.run(sql, block, started_from, started_to, ended_from, ended_to, ids);
  }
}

/** Neighbours are in the same page. */
function inKeyOrder(postings: readonly Posting[]): Posting[] {
  return [...postings].sort((a, b) => a.block - b.block || (a.term < b.term ? -1 : 1));
}
