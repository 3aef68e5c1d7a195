/** Records in Postgres. Values are JSON text, not jsonb, which refuses some texts and loses the order of keys. */
import { decodeJson, encodeJson, type JsonObject } from '@woof/net';
import { fromPlain, toPlain } from '../plain-text.ts';
import type { NewRecord, Records, Stored } from '../store.ts';
import { arrayOf, type Pool } from './pool.ts';

interface Row {
  key: string;
  version: number;
  value: string;
}

/** Sorts after every character in a key. */
const LAST = '\u{10FFFF}';

const PUT = `INSERT INTO woof.records AS r VALUES ($1, $2, 1, $3)
  ON CONFLICT (collection, key) DO UPDATE SET version = r.version + 1, value = excluded.value RETURNING version`;
const PUT_NEW = `INSERT INTO woof.records VALUES ($1, $2, 1, $3) ON CONFLICT DO NOTHING RETURNING version`;
const ADD = `INSERT INTO woof.records SELECT $1, key, 1, value FROM unnest($2::text[], $3::text[]) AS new(key, value)
  ON CONFLICT DO NOTHING`;
const PUT_OVER = `UPDATE woof.records SET version = version + 1, value = $3
  WHERE collection = $1 AND key = $2 AND version = $4 RETURNING version`;

export class PostgresRecords implements Records {
  constructor(private readonly pool: Pool) {}

  async get(collection: string, key: string): Promise<Stored | undefined> {
    const sql = 'SELECT key, version, value FROM woof.records WHERE collection = $1 AND key = $2';
    return (await this.pool.query<Row>(sql, [toPlain(collection), toPlain(key)])).map(stored)[0];
  }

  async list(
    collection: string,
    { prefix = '', after, limit }: { prefix?: string; after?: string; limit?: number } = {},
  ): Promise<Stored[]> {
    const sql = `SELECT key, version, value FROM woof.records
      WHERE collection = $1 AND key >= $2 AND key < $3 AND ($4::text IS NULL OR key > $4) ORDER BY key LIMIT $5`;
    const low = toPlain(prefix);
    const last = after === undefined ? null : toPlain(after);
    const values = [toPlain(collection), low, low + LAST, last, limit ?? null];
    return (await this.pool.query<Row>(sql, values)).map(stored);
  }

  async put(collection: string, key: string, value: JsonObject, expected?: number): Promise<boolean> {
    const values = [toPlain(collection), toPlain(key), encodeJson(value)];
    if (expected === undefined) return (await this.pool.query(PUT, values)).length > 0;
    if (expected === 0) return (await this.pool.query(PUT_NEW, values)).length > 0;
    return (await this.pool.query(PUT_OVER, [...values, expected])).length > 0;
  }

  async add(collection: string, records: readonly NewRecord[]): Promise<void> {
    const keys = arrayOf(records.map(({ key }) => toPlain(key)));
    const values = arrayOf(records.map(({ value }) => encodeJson(value)));
    await this.pool.query(ADD, [toPlain(collection), keys, values]);
  }

  async remove(collection: string, key: string, expected?: number): Promise<boolean> {
    const sql = `DELETE FROM woof.records
      WHERE collection = $1 AND key = $2 AND version = coalesce($3, version) RETURNING version`;
    return (await this.pool.query(sql, [toPlain(collection), toPlain(key), expected ?? null])).length > 0;
  }
}

function stored({ key, version, value }: Row): Stored {
  return { key: fromPlain(key), version, value: decodeJson(value) as JsonObject };
}
