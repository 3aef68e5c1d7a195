/**
 * Results as rows of a table, in pieces, so that neither side holds a whole one in memory.
 *
 * All pieces of a key appear in one transaction. The last one is empty and marks them as complete.
 */
import type { Json, JsonObject, Outcome } from '@woof/net';
import { textField } from '../fields.ts';
import { type PostgresAddress, placeOf, toAddress } from '../postgres/postgres-address.ts';
import { postgresFailure } from '../postgres/postgres-failure.ts';
import { PostgresPool } from '../postgres/postgres-pool.ts';
import type { PostgresSession } from '../postgres/postgres-session.ts';
import { tableName } from '../transfer/sql-names.ts';
import { Absent, type FarStore } from './far-store.ts';

const PIECE_BYTES = 256 * 1024;

export class PostgresFarStore implements FarStore {
  readonly name: string;
  private readonly pool = new PostgresPool();
  private readonly address: PostgresAddress;
  private readonly table: string;
  private readonly never = new AbortController().signal;
  private made: Promise<void> | undefined;

  constructor(fields: JsonObject) {
    this.address = toAddress(fields);
    const table = textField(fields, 'table') ?? 'woof_results';
    this.table = tableName(table, 'table');
    this.name = `postgres:${placeOf(this.address)}/${table}`;
  }

  async write(key: string, _size: number, bytes: () => AsyncIterable<Uint8Array>): Promise<void> {
    this.made ??= this.use((session) => this.make(session));
    // If it failed, the next call tries again.
    this.made.catch(() => (this.made = undefined));
    await this.made;
    await this.use((session) => this.put(session, key, bytes));
  }

  async *read(key: string): AsyncIterable<Uint8Array> {
    for (let no = 0; ; no++) {
      const piece = await this.use((session) => this.get(session, key, no));
      if (piece === undefined) throw new Absent(`${this.name} has no ${key}`);
      if (piece.length === 0) return;
      yield piece;
    }
  }

  failure(error: unknown): Outcome {
    return postgresFailure(error, this.address, undefined, '-');
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private use<T>(body: (session: PostgresSession) => Promise<T>): Promise<T> {
    return this.pool.use(this.address, this.never, body);
  }

  /** One after another: two sessions that create the same table at once would both find it missing. */
  private async make(session: PostgresSession): Promise<void> {
    await session.command('BEGIN');
    await session.command("SELECT pg_advisory_xact_lock(hashtext('woof_results'))");
    await session.command(
      `CREATE TABLE IF NOT EXISTS ${this.table} (key text, no int, bytes bytea NOT NULL, PRIMARY KEY (key, no))`,
    );
    await session.command('COMMIT');
  }

  private async put(
    session: PostgresSession,
    key: string,
    bytes: () => AsyncIterable<Uint8Array>,
  ): Promise<void> {
    await session.command('BEGIN');
    for await (const _ of session.query('SELECT pg_advisory_xact_lock(hashtext($1))', [key], 1));
    // The existing copy may be damaged, so the newest one counts.
    for await (const _ of session.query(`DELETE FROM ${this.table} WHERE key = $1`, [key], 1));
    await session.copyIn(`COPY ${this.table} FROM STDIN (FORMAT csv)`, lines(key, bytes()));
    await session.command('COMMIT');
  }

  private async get(session: PostgresSession, key: string, no: number): Promise<Buffer | undefined> {
    const sql = `SELECT encode(bytes, 'base64') FROM ${this.table} WHERE key = $1 AND no = $2`;
    try {
      let text: Json | undefined;
      for await (const { rows } of session.query(sql, [key, no], 1)) text ??= rows[0]?.[0];
      return typeof text === 'string' ? Buffer.from(text, 'base64') : undefined;
    } catch (error) {
      // No table: nothing was ever stored in it.
      if ((error as { code?: string }).code === '42P01') return undefined;
      throw error;
    }
  }
}

async function* lines(key: string, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let no = 0;
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const hex = Buffer.from(chunk.subarray(at, at + PIECE_BYTES)).toString('hex');
      yield Buffer.from(`${key},${no++},\\x${hex}\n`);
    }
  }
  yield Buffer.from(`${key},${no},\\x\n`);
}
