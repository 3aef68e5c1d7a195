/**
 * Both ends of a transfer in DuckDB and in files: DuckDB reads and writes CSV, JSON lines and Parquet. It runs in the
 * sandbox, like the tool `duckdb`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { failure, type Json, type JsonObject, type Outcome } from '@woof/net';
import { duckdbFailure } from '../duckdb/duckdb-failure.ts';
import { type DuckdbAnswer, DuckdbProcess, type DuckdbRequest } from '../duckdb/duckdb-process.ts';
import { boundary, settingsOf } from '../duckdb/duckdb-settings.ts';
import { DuckdbTables, literal } from '../duckdb/duckdb-tables.ts';
import { pathUnder } from '../duckdb/duckdb-task.ts';
import { FieldFault, textField, wordField } from '../fields.ts';
import type { IoPolicy, ToolContext } from '../tool.ts';
import { type Column, typeOfDuckdb } from './column-types.ts';
import type { Chunk } from './csv-chunks.ts';
import { givenTo, heldIn, identity, readAs, takenIn } from './duckdb-columns.ts';
import { quoted, selection, tableName } from './sql-names.ts';
import type { Progress, TransferPlan, TransferSource, TransferTarget } from './transfer-ends.ts';

const MEMORY_MB = 512;

export interface DuckdbSite {
  policy: IoPolicy;
  workdir: string;
  context: ToolContext;
}

class DuckdbError extends Error {}

/** One process for one end. */
class Engine {
  private folder: DuckdbTables | undefined;
  private process: DuckdbProcess | undefined;
  private answers: AsyncIterator<DuckdbAnswer> | undefined;

  constructor(
    private readonly site: DuckdbSite,
    private readonly signal: AbortSignal,
  ) {}

  get stdout() {
    return this.process!.stdout;
  }

  async start(
    database: string,
    readOnly: boolean,
    make: (scratch: string) => Pick<DuckdbRequest, 'unload' | 'load'> & { before: string[] },
  ): Promise<void> {
    const { policy, workdir, context } = this.site;
    this.folder = await DuckdbTables.create(context.blobs, { policy, workdir, isolate: context.sandbox });
    const scratch = context.sandbox ? '/tmp' : this.folder.folder;
    const { before, ...request } = make(scratch);
    const settings = settingsOf(
      { memoryMb: MEMORY_MB, database, readOnly },
      this.folder.folder,
      context.sandbox,
    );
    this.process = new DuckdbProcess(
      {
        database,
        sql: '',
        params: null,
        together: false,
        settings: { ...settings, preserve_insertion_order: 'true' },
        before: [...boundary({ policy, workdir }, scratch), ...before],
        ...request,
      },
      { policy, workdir, hidden: context.hidden ?? [], isolate: context.sandbox, readOnly: [] },
    );
    this.signal.addEventListener('abort', this.process.kill, { once: true });
    this.answers = this.process.answers[Symbol.asyncIterator]();
  }

  async next(): Promise<DuckdbAnswer> {
    const { done, value } = await this.answers!.next();
    if (done)
      throw new DuckdbError(`the process ended without a result: ${this.process!.complaint.slice(-300)}`);
    if ('error' in value) throw new DuckdbError(value.error.message);
    return value;
  }

  async send(statements: string[] | null, bytes: Uint8Array): Promise<void> {
    const text = Buffer.from(JSON.stringify(statements));
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(text.length, 0);
    lengths.writeUInt32BE(bytes.length, 4);
    const { stdin } = this.process!;
    stdin.write(lengths);
    stdin.write(text);
    stdin.write(bytes);
    await this.next();
  }

  async close(): Promise<void> {
    if (this.process) {
      this.signal.removeEventListener('abort', this.process.kill);
      this.process.kill();
      await this.process.exited;
    }
    await this.folder?.remove();
  }
}

function duckdbOutcome(error: unknown): Outcome {
  if (error instanceof DuckdbError) return duckdbFailure(error.message, 1, 1);
  return failure('unknown', `duckdb: ${(error as Error).message}`);
}

export class DuckdbSource implements TransferSource {
  readonly failure = duckdbOutcome;
  private readonly engine: Engine;

  private constructor(
    private readonly database: string,
    private readonly query: string,
    site: DuckdbSite,
    plan: TransferPlan,
  ) {
    this.engine = new Engine(site, plan.signal);
  }

  static async ofDatabase(fields: JsonObject, site: DuckdbSite, plan: TransferPlan): Promise<DuckdbSource> {
    const database = await databaseOf(fields, site, 'source.database');
    const table = textField(fields, 'table');
    const query = textField(fields, 'query') ?? textField(fields, 'command');
    if (query === undefined && table === undefined)
      throw new FieldFault('"source.query" is missing: write a SELECT');
    const selected = selection(query ?? `SELECT * FROM ${tableName(table, 'source.table')}`, plan.mapping);
    return new DuckdbSource(database, selected, site, plan);
  }

  static async ofFile(fields: JsonObject, site: DuckdbSite, plan: TransferPlan): Promise<DuckdbSource> {
    const { path, format } = await fileOf(fields, site, 'source');
    return new DuckdbSource(
      ':memory:',
      selection(`SELECT * FROM ${readerOf(path, format)}`, plan.mapping),
      site,
      plan,
    );
  }

  async open(): Promise<Column[]> {
    await this.engine.start(this.database, true, () => ({ before: [], unload: this.query }));
    const answer = await this.engine.next();
    if (!('described' in answer)) throw new DuckdbError('DuckDB did not describe its rows');
    return answer.described.map(({ name, type }) => ({ name, type: typeOfDuckdb(type) }));
  }

  async *rows(): AsyncGenerator<Uint8Array> {
    for await (const piece of this.engine.stdout) yield piece as Uint8Array;
    // Checks that everything arrived.
    await this.engine.next();
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}

interface TargetPlace {
  database: string;
  table: string;
  /** Set if the target is a file; `keeps`: its current rows are kept. */
  file?: { path: string; format: string; keeps: boolean };
}

export class DuckdbTarget implements TransferTarget {
  readonly failure = duckdbOutcome;
  private readonly engine: Engine;
  private columns: Column[] = [];
  private chunkFile = '';

  private constructor(
    private readonly place: TargetPlace,
    private readonly plan: TransferPlan,
    site: DuckdbSite,
  ) {
    this.engine = new Engine(site, plan.signal);
  }

  static async ofDatabase(fields: JsonObject, site: DuckdbSite, plan: TransferPlan): Promise<DuckdbTarget> {
    const database = await databaseOf(fields, site, 'target.database');
    if (database === ':memory:')
      throw new FieldFault('"target.database" is missing: name a file to store the rows in');
    return new DuckdbTarget(
      { database, table: tableName(textField(fields, 'table'), 'target.table') },
      plan,
      site,
    );
  }

  static async ofFile(fields: JsonObject, site: DuckdbSite, plan: TransferPlan): Promise<DuckdbTarget> {
    const { path, format } = await fileOf(fields, site, 'target');
    const file = { path, format, keeps: plan.mode !== 'replace' && existsSync(path) };
    return new DuckdbTarget({ database: ':memory:', table: 'rows_of_file', file }, plan, site);
  }

  async open(columns: Column[]): Promise<Progress> {
    this.columns = columns.length > 0 ? columns : this.assumed();
    await this.engine.start(this.place.database, false, (scratch) => {
      this.chunkFile = join(scratch, 'chunk.csv');
      return { before: this.before(), load: { file: this.chunkFile, progress: this.progress() } };
    });
    const answer = await this.engine.next();
    const [chunks, rows, done] = 'ready' in answer ? answer.ready : ([] as Json[]);
    return { chunks: Number(chunks ?? 0), rows: Number(rows ?? 0), isDone: done === true };
  }

  async write({ bytes, rows }: Chunk, progress: Progress): Promise<void> {
    const insert = this.insert(bytes.length, rows);
    const alone = this.plan.mode === 'replace';
    await this.engine.send(alone ? [insert] : ['BEGIN', insert, this.note(progress), 'COMMIT'], bytes);
  }

  async finish(progress: Progress): Promise<void> {
    const end = this.plan.mode === 'replace' ? 'COMMIT' : this.note(progress);
    await this.engine.send([end, ...this.writing()], Buffer.alloc(0));
    // Ending the process closes the database, so that everything is in the file.
    await this.engine.send(null, Buffer.alloc(0));
  }

  close(): Promise<void> {
    return this.engine.close();
  }

  /** If there are no rows, a file gets the columns of the mapping, and a table has its own. */
  private assumed(): Column[] {
    if (this.place.file === undefined) return [];
    if (this.plan.mapping) return this.plan.mapping.map(([name]) => ({ name, type: 'text' }));
    throw new FieldFault('the source has no rows, so Woof does not know the columns: write a "mapping"');
  }

  private before(): string[] {
    const { table, file } = this.place;
    const { key, mode } = this.plan;
    const parts = this.columns.map((column) => `${quoted(column.name)} ${heldIn(file?.format, column)}`);
    const unique = key.length > 0 ? [`PRIMARY KEY (${key.map(quoted).join(', ')})`] : [];
    return [
      ...(parts.length > 0
        ? [`CREATE TABLE IF NOT EXISTS ${table} (${[...parts, ...unique].join(', ')})`]
        : []),
      `CREATE TABLE IF NOT EXISTS woof_transfers (transfer VARCHAR PRIMARY KEY, chunks INT, rows BIGINT, done BOOLEAN)`,
      ...(file?.keeps ? [`INSERT INTO ${table} BY NAME SELECT * FROM ${keptReaderOf(file)}`] : []),
      ...(mode === 'replace' ? ['BEGIN', `DELETE FROM ${table}`] : []),
    ];
  }

  private writing(): string[] {
    const { table, file } = this.place;
    if (file === undefined) return [];
    const { path, format } = file;
    const values = this.columns.map((column) => givenTo(format, column)).join(', ');
    const header = format === 'csv' ? ', HEADER' : '';
    return [`COPY (SELECT ${values} FROM ${table}) TO ${literal(path)} (FORMAT ${format}${header})`];
  }

  private progress(): string {
    const id = literal(this.plan.id);
    if (this.plan.mode === 'replace') return 'SELECT 0, 0, false';
    return `SELECT chunks, rows, done FROM woof_transfers WHERE transfer = ${id}`;
  }

  private note({ chunks, rows, isDone }: Progress): string {
    return `INSERT OR REPLACE INTO woof_transfers VALUES (${literal(this.plan.id)}, ${chunks}, ${rows}, ${isDone})`;
  }

  private insert(bytes: number, rows: number): string {
    const { key, mode } = this.plan;
    const { table, file } = this.place;
    const names = this.columns.map(({ name }) => quoted(name));
    const values = this.columns.map((column) => takenIn(table, file?.format, column));
    const types = this.columns.map((column) => `${literal(column.name)}: ${literal(readAs(column))}`);
    // A larger line limit takes memory, so it is set only if rows are long.
    const long = bytes > rows * 100_000 ? `, max_line_size = ${bytes + 1}` : '';
    const reader = `read_csv(${literal(this.chunkFile)}, header = false, auto_detect = false, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, columns = {${types.join(', ')}}${long})`;
    const into = `INSERT INTO ${table} (${names.join(', ')})`;
    if (mode !== 'upsert') return `${into} SELECT ${values.join(', ')} FROM ${reader}`;
    const keys = key.map(quoted);
    const changes = names.filter((name) => !keys.includes(name)).map((name) => `${name} = excluded.${name}`);
    const action = changes.length > 0 ? `DO UPDATE SET ${changes.join(', ')}` : 'DO NOTHING';
    // Of several rows with one key, the last counts, because one statement must not touch a row twice.
    return `${into} SELECT ${values.join(', ')} FROM (SELECT *, row_number() OVER () AS woof_no FROM ${reader})
      QUALIFY row_number() OVER (PARTITION BY ${key.map((name) => identity(name, this.columns)).join(', ')} ORDER BY woof_no DESC) = 1
      ON CONFLICT (${keys.join(', ')}) ${action}`;
  }
}

async function databaseOf(fields: JsonObject, site: DuckdbSite, field: string): Promise<string> {
  const wanted = textField(fields, 'database');
  if (wanted === undefined || wanted === ':memory:') return ':memory:';
  return pathUnder(site.workdir, wanted, field);
}

const FORMATS = ['csv', 'json', 'parquet'];

async function fileOf(
  fields: JsonObject,
  site: DuckdbSite,
  end: string,
): Promise<{ path: string; format: string }> {
  const wanted = textField(fields, 'path') ?? textField(fields, 'uri');
  if (!wanted) throw new FieldFault(`"${end}.path" is missing: name a file under the document’s folder`);
  const extension = /\.(\w+)$/
    .exec(wanted)?.[1]
    ?.toLowerCase()
    .replace(/^(jsonl|ndjson)$/, 'json');
  const format = wordField(
    { ...fields, format: textField(fields, 'format') ?? extension ?? '' },
    'format',
    FORMATS,
  );
  return { path: await pathUnder(site.workdir, wanted, `${end}.path`), format: format! };
}

function readerOf(path: string, format: string): string {
  return `read_${format}(${literal(path)})`;
}

/** Text stays unchanged: what looks like a number in one file need not be one. */
function keptReaderOf({ path, format }: { path: string; format: string }): string {
  return format === 'csv' ? `read_csv(${literal(path)}, all_varchar = true)` : readerOf(path, format);
}
