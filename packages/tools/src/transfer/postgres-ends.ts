/** Both ends of a transfer in Postgres: `COPY` out of a query, `COPY` into a table. */
import type { Readable } from 'node:stream';
import type { Json, JsonObject, Outcome } from '@woof/net';
import { FieldFault, textField } from '../fields.ts';
import { once } from '../once.ts';
import { type PostgresAddress, toAddress } from '../postgres/postgres-address.ts';
import { postgresFailure } from '../postgres/postgres-failure.ts';
import { PostgresSession } from '../postgres/postgres-session.ts';
import { type Column, typeInPostgres, typeOfPostgres } from './column-types.ts';
import type { Chunk } from './csv-chunks.ts';
import { csvLine } from './csv-text.ts';
import { quoted, selection, tableName } from './sql-names.ts';
import type { Progress, TransferPlan, TransferSource, TransferTarget } from './transfer-ends.ts';

const BATCH_ROWS = 5000;

const NOTES = `CREATE TABLE IF NOT EXISTS woof_transfers (
  transfer text PRIMARY KEY, chunks int NOT NULL, rows bigint NOT NULL, done boolean NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now())`;
const FORGET = `DELETE FROM woof_transfers WHERE updated_at < now() - interval '30 days'`;
const FIRST_NOTE = `INSERT INTO woof_transfers (transfer, chunks, rows, done) VALUES ($1, $2, $3, $4)
  ON CONFLICT (transfer) DO NOTHING RETURNING chunks`;
const NEXT_NOTE = `UPDATE woof_transfers SET chunks = $2, rows = $3, done = $4, updated_at = now()
  WHERE transfer = $1 AND chunks = $5 AND NOT done RETURNING chunks`;

/**
 * The names of types by their numbers: only those that every Postgres has, and whose text means the same in each (money
 * depends on the locale; a regclass names something that the other may lack).
 */
const typeNames = (oids: number[]) => `SELECT oid::int, format_type(oid, -1) FROM pg_type
  WHERE oid IN (${oids.join(', ')}) AND oid < 16384 AND typtype IN ('b', 'r') AND typname !~ '^_?(reg|pg_|money)'`;

abstract class PostgresEnd {
  protected readonly session: PostgresSession;
  private readonly address: PostgresAddress;

  constructor(
    protected readonly fields: JsonObject,
    protected readonly plan: TransferPlan,
  ) {
    this.address = toAddress(fields);
    this.session = new PostgresSession(this.address);
    plan.signal.addEventListener('abort', this.stop, { once: true });
  }

  failure(error: unknown): Outcome {
    return postgresFailure(error, this.address, undefined, this.plan.id.split('/')[0] ?? '');
  }

  async close(): Promise<void> {
    this.plan.signal.removeEventListener('abort', this.stop);
    if (!this.plan.signal.aborted) await this.session.end();
  }

  protected async rowsOf(sql: string, params: Json[] = []): Promise<Json[][]> {
    const rows: Json[][] = [];
    for await (const batch of this.session.query(sql, params, BATCH_ROWS)) rows.push(...batch.rows);
    return rows;
  }

  private readonly stop = (): void => void this.session.abandon();
}

export class PostgresSource extends PostgresEnd implements TransferSource {
  private readonly params: Json[];
  private readonly sql: string;
  private columns: Column[] = [];

  constructor(fields: JsonObject, plan: TransferPlan) {
    super(fields, plan);
    const { params } = fields;
    if (params !== undefined && params !== null && !Array.isArray(params)) {
      throw new FieldFault('"source.params" must be a list for $1, $2');
    }
    this.params = (params as Json[] | undefined | null) ?? [];
    const query = textField(fields, 'query') ?? textField(fields, 'command');
    const table = textField(fields, 'table');
    if (query === undefined && table === undefined)
      throw new FieldFault('"source.query" is missing: write a SELECT');
    this.sql = selection(query ?? `SELECT * FROM ${tableName(table, 'source.table')}`, plan.mapping);
  }

  async open(): Promise<Column[]> {
    for await (const _ of this.session.query(`SELECT * FROM (${this.sql}) AS d LIMIT 0`, this.params, 1));
    const described = this.session.columns();
    if (described.length === 0) return [];
    const named = new Map(
      (await this.rowsOf(typeNames(described.map(({ type }) => type)))).map(([oid, name]) => [
        oid,
        String(name),
      ]),
    );
    this.columns = described.map(({ name, type }) => {
      const inPostgres = named.get(type);
      return { name, type: typeOfPostgres(type), ...(inPostgres === undefined ? {} : { inPostgres }) };
    });
    return this.columns;
  }

  async *rows(): AsyncGenerator<Uint8Array> {
    // COPY accepts no parameters.
    if (this.params.length > 0) return yield* this.boundRows();
    const pieces = new Pieces();
    const ended = this.session.copyOut(`COPY (${this.sql}) TO STDOUT (FORMAT csv)`, (source) =>
      pieces.fill(source),
    );
    ended.catch((error: Error) => pieces.fail(error));
    yield* pieces.all();
    await ended;
  }

  /** In the same text form as COPY. */
  private async *boundRows(): AsyncGenerator<Uint8Array> {
    const names = this.columns.map((_, index) => `c${index}`);
    const texts = names.map((name) => `${name}::text`).join(', ');
    const sql = `SELECT ${texts} FROM (${this.sql}) AS d (${names.join(', ')})`;
    for await (const { rows } of this.session.query(sql, this.params, BATCH_ROWS)) {
      yield Buffer.from(rows.map(csvLine).join(''));
    }
  }
}

/** Joins a stream of small rows into larger pieces. The stream waits for its reader. */
class Pieces {
  private source: Readable | undefined;
  private readonly opened = withResolvers<Readable>();
  private readonly ended = withResolvers<void>();

  fill(source: Readable): Promise<void> {
    this.source = source;
    this.opened.resolve(source);
    return this.ended.promise;
  }

  fail(error: Error): void {
    this.opened.promise.catch(() => {});
    this.opened.reject(error);
    this.source?.destroy(error);
  }

  async *all(): AsyncGenerator<Uint8Array> {
    let parts: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const part of await this.opened.promise) {
        parts.push(part as Uint8Array);
        size += (part as Uint8Array).length;
        if (size < 65536) continue;
        yield Buffer.concat(parts);
        [parts, size] = [[], 0];
      }
      if (size > 0) yield Buffer.concat(parts);
    } finally {
      this.ended.resolve();
    }
  }
}

interface Resolvers<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
}

function withResolvers<T>(): Resolvers<T> {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

export class PostgresTarget extends PostgresEnd implements TransferTarget {
  private readonly table: string;
  private columns: Column[] = [];

  constructor(fields: JsonObject, plan: TransferPlan) {
    super(fields, plan);
    this.table = tableName(textField(fields, 'table'), 'target.table');
  }

  async open(columns: Column[]): Promise<Progress> {
    this.columns = columns;
    const { key, mode } = this.plan;
    const parts = columns.map((column) => `${quoted(column.name)} ${typeInPostgres(column)}`);
    const unique = key.length > 0 ? [`PRIMARY KEY (${key.map(quoted).join(', ')})`] : [];
    const table = `CREATE TABLE IF NOT EXISTS ${this.table} (${[...parts, ...unique].join(', ')})`;
    await this.make(...(columns.length > 0 ? [table] : []), ...(mode === 'replace' ? [] : [NOTES, FORGET]));
    if (mode !== 'replace') return this.earlier();
    await this.session.command('BEGIN');
    await this.session.command(`TRUNCATE ${this.table}`);
    return { chunks: 0, rows: 0, isDone: false };
  }

  /** One after another: two sessions that create the same table at once would both find it missing. */
  private async make(...statements: string[]): Promise<void> {
    await this.session.command('BEGIN');
    await this.session.command("SELECT pg_advisory_xact_lock(hashtext('woof_transfers'))");
    for (const statement of statements) await this.session.command(statement);
    await this.session.command('COMMIT');
  }

  async write({ bytes }: Chunk, progress: Progress): Promise<void> {
    const { mode } = this.plan;
    if (mode !== 'replace') await this.session.command('BEGIN');
    if (mode === 'upsert') await this.upsert(bytes);
    else await this.copy(this.table, bytes);
    if (mode === 'replace') return;
    await this.note(progress);
    await this.session.command('COMMIT');
  }

  async finish(progress: Progress): Promise<void> {
    if (this.plan.mode === 'replace') await this.session.command('COMMIT');
    else await this.note(progress);
  }

  private async earlier(): Promise<Progress> {
    const sql = 'SELECT chunks, rows, done FROM woof_transfers WHERE transfer = $1';
    const [found] = await this.rowsOf(sql, [this.plan.id]);
    return { chunks: Number(found?.[0] ?? 0), rows: Number(found?.[1] ?? 0), isDone: found?.[2] === true };
  }

  /**
   * Only advances from the previous chunk. If another attempt is still writing, this waits for its note and then fails,
   * which rolls back our chunk.
   */
  private async note({ chunks, rows, isDone }: Progress): Promise<void> {
    const before = isDone ? chunks : chunks - 1;
    const sql = before === 0 ? FIRST_NOTE : NEXT_NOTE;
    const noted = await this.rowsOf(sql, [
      this.plan.id,
      chunks,
      rows,
      isDone,
      ...(before === 0 ? [] : [before]),
    ]);
    if (noted.length === 0) {
      throw Object.assign(new Error('another attempt of this transfer is writing'), { code: '40001' });
    }
  }

  private async copy(table: string, bytes: Buffer): Promise<void> {
    const names = this.columns.map(({ name }) => quoted(name)).join(', ');
    await this.session.copyIn(`COPY ${table} (${names}) FROM STDIN (FORMAT csv)`, once(bytes));
  }

  private async upsert(bytes: Buffer): Promise<void> {
    const { session, table } = this;
    const names = this.columns.map(({ name }) => quoted(name));
    const key = this.plan.key.map(quoted);
    const changes = names.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`);
    const action = changes.length > 0 ? `DO UPDATE SET ${changes.join(', ')}` : 'DO NOTHING';
    await session.command(
      `CREATE TEMP TABLE woof_chunk ON COMMIT DROP AS SELECT ${names.join(', ')} FROM ${table} WITH NO DATA`,
    );
    await session.command('ALTER TABLE woof_chunk ADD COLUMN woof_no bigserial');
    await this.copy('woof_chunk', bytes);
    // Of several rows with one key, the last counts, because one statement must not touch a row twice.
    await session.command(
      `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.join(', ')} FROM (
         SELECT DISTINCT ON (${key.join(', ')}) * FROM woof_chunk ORDER BY ${key.join(', ')}, woof_no DESC) AS c
       ON CONFLICT (${key.join(', ')}) ${action}`,
    );
  }
}
