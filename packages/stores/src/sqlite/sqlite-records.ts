/** Records in SQLite. Does not own: how a commit becomes durable (wal-file.ts). */
import { decodeJson, encodeJson, type JsonObject } from '@woof/net';
import { fromPlain, toPlain } from '../plain-text.ts';
import type { NewRecord, Records, Stored } from '../store.ts';
import type { Sql } from './sql.ts';
import type { WalFile } from './wal-file.ts';

interface Row {
  key: string;
  version: number;
  value: string;
}

/** Sorts after every character in a key. */
const LAST = '\u{10FFFF}';

export class SqliteRecords implements Records {
  constructor(
    private readonly sql: Sql,
    private readonly wal: Pick<WalFile, 'sync' | 'syncAside'>,
  ) {}

  async get(collection: string, key: string): Promise<Stored | undefined> {
    const sql = 'SELECT key, version, value FROM records WHERE collection = ? AND key = ?';
    return this.sql.all<Row>(sql, toPlain(collection), toPlain(key)).map(stored)[0];
  }

  async list(
    collection: string,
    { prefix = '', after, limit }: { prefix?: string; after?: string; limit?: number } = {},
  ): Promise<Stored[]> {
    const sql = `SELECT key, version, value FROM records
      WHERE collection = ? AND key >= ? AND key < ? AND (? IS NULL OR key > ?) ORDER BY key LIMIT ?`;
    const low = toPlain(prefix);
    const last = after === undefined ? null : toPlain(after);
    return this.sql.all<Row>(sql, toPlain(collection), low, low + LAST, last, last, limit ?? -1).map(stored);
  }

  async put(collection: string, key: string, value: JsonObject, expected?: number): Promise<boolean> {
    const sql = 'INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)';
    return this.change(collection, key, (version) => {
      if (expected !== undefined && expected !== version) return false;
      this.sql.run(sql, toPlain(collection), toPlain(key), version + 1, encodeJson(value));
      return true;
    });
  }

  async add(collection: string, records: readonly NewRecord[]): Promise<void> {
    const sql = 'INSERT OR IGNORE INTO records VALUES (?, ?, 1, ?)';
    this.sql.transaction(() => {
      for (const { key, value } of records)
        this.sql.run(sql, toPlain(collection), toPlain(key), encodeJson(value));
    });
    await this.wal.syncAside();
  }

  async remove(collection: string, key: string, expected?: number): Promise<boolean> {
    const sql = 'DELETE FROM records WHERE collection = ? AND key = ?';
    return this.change(collection, key, (version) => {
      if (version === 0 || (expected !== undefined && expected !== version)) return false;
      this.sql.run(sql, toPlain(collection), toPlain(key));
      return true;
    });
  }

  /** No other process writes between reading the version and `write`. */
  private change(collection: string, key: string, write: (version: number) => boolean): boolean {
    const isDone = this.sql.transaction(() => write(this.versionOf(collection, key)));
    if (isDone) this.wal.sync();
    return isDone;
  }

  private versionOf(collection: string, key: string): number {
    const sql = 'SELECT version FROM records WHERE collection = ? AND key = ?';
    return this.sql.all<{ version: number }>(sql, toPlain(collection), toPlain(key))[0]?.version ?? 0;
  }
}

function stored({ key, version, value }: Row): Stored {
  return { key: fromPlain(key), version, value: decodeJson(value) as JsonObject };
}
