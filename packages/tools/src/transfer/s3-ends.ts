/**
 * Both ends of a transfer in a bucket.
 *
 * A key is one object, which DuckDB reads and writes as a file in a folder of ours: it is replaced as a whole at the
 * end, or not at all. A key that ends with a slash means all objects below it: as a target, each chunk is one of them,
 * named after the transfer and its number, so that a retry sees which exist.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { encodeJson, failure, type Json, type JsonObject, type Outcome, sizeFailure } from '@woof/net';
import { FieldFault, fault, numberField, textField } from '../fields.ts';
import { S3Client, S3Refusal, type Sum } from '../s3/s3-client.ts';
import { makeScratch } from '../scratch-folder.ts';
import type { Column } from './column-types.ts';
import type { Chunk } from './csv-chunks.ts';
import { csvRows } from './csv-text.ts';
import { type DuckdbSite, DuckdbSource, DuckdbTarget } from './duckdb-ends.ts';
import type { Progress, TransferPlan, TransferSource, TransferTarget } from './transfer-ends.ts';

const FORMATS: Record<string, string> = {
  csv: 'csv',
  json: 'jsonl',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  parquet: 'parquet',
};
const MOST_OBJECTS = 10_000;
const GIB = 1024 ** 3;

const NO_FILES = { allow_files: false, allow_network: false, allow_shell: false };

/** What both ends share: the bucket, and a folder for files in transit. */
class S3End {
  readonly client: S3Client;
  readonly key: string;
  readonly extension: string;
  private folder: string | undefined;
  /** How many more bytes may be fetched. */
  private left: number;
  private readonly maxBytes: number;

  constructor(fields: JsonObject, end: string, plan: TransferPlan) {
    const { kind: _, ...rest } = fields;
    this.client = new S3Client(rest, plan.signal);
    this.key = textField(fields, 'key') ?? textField(fields, 'prefix') ?? '';
    if (this.key === '')
      throw new FieldFault(
        `"${end}.key" is missing: name an object, or a prefix that ends with a slash, such as orders/`,
      );
    const named =
      textField(fields, 'format') ?? /\.(\w+)$/.exec(this.key)?.[1] ?? (this.isMany ? 'jsonl' : '');
    const extension = Object.hasOwn(FORMATS, named) ? FORMATS[named] : undefined;
    if (extension === undefined) throw fault(`${end}.format`, 'csv, json or parquet', named);
    this.extension = extension;
    this.left = this.maxBytes = numberField(fields, 'max_bytes', 1) ?? GIB;
  }

  get isMany(): boolean {
    return this.key.endsWith('/');
  }

  /** DuckDB may see only the folder for files in transit. */
  async site(site: DuckdbSite): Promise<DuckdbSite> {
    const policy = { allow_files: true, allow_network: false, allow_shell: false };
    return { ...site, policy, workdir: await this.place() };
  }

  async fetch(key: string, name: string): Promise<void> {
    const path = join(await this.place(), name);
    try {
      await pipeline(this.bounded(key), createWriteStream(path, { flags: 'wx', mode: 0o644 }));
    } catch (error) {
      // An empty file must not take the place of a missing object.
      await rm(path, { force: true });
      throw error;
    }
  }

  /** Limits how much of a bucket is copied to this disk. */
  private async *bounded(key: string): AsyncIterable<Uint8Array> {
    for await (const chunk of this.client.get(key)) {
      this.left -= chunk.length;
      if (this.left < 0) throw new S3Refusal(sizeFailure(this.tooMuch(key)));
      yield chunk;
    }
  }

  private tooMuch(key: string): string {
    const whole = this.isMany ? `the objects below ${this.key} are` : `${key} is`;
    return `s3 ${this.client.place}: ${whole} larger than ${this.maxBytes} bytes; raise "max_bytes", or transfer less at a time`;
  }

  async store(name: string): Promise<void> {
    const path = join(await this.place(), name);
    await this.client.put(this.key, await sumOf(path), () => createReadStream(path));
  }

  failure(error: unknown): Outcome {
    return this.client.failure(error);
  }

  async close(): Promise<void> {
    await this.client.close();
    if (this.folder) await rm(this.folder, { recursive: true, force: true });
  }

  private async place(): Promise<string> {
    this.folder ??= await makeScratch({ policy: NO_FILES, workdir: tmpdir() });
    return this.folder;
  }
}

async function sumOf(path: string): Promise<Sum> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Uint8Array);
    size += (chunk as Uint8Array).length;
  }
  return { sha256: hash.digest('hex'), size };
}

export class S3Source implements TransferSource {
  private readonly end: S3End;
  private inner: DuckdbSource | undefined;

  constructor(
    fields: JsonObject,
    private readonly site: DuckdbSite,
    private readonly plan: TransferPlan,
  ) {
    this.end = new S3End(fields, 'source', plan);
  }

  async open(): Promise<Column[]> {
    const { end } = this;
    const keys = end.isMany ? await this.keys() : [end.key];
    for (const [index, key] of keys.entries())
      await end.fetch(key, `${String(index).padStart(6, '0')}.${end.extension}`);
    const file = { path: `*.${end.extension}`, format: end.extension.replace('jsonl', 'json') };
    this.inner = await DuckdbSource.ofFile(file, await end.site(this.site), this.plan);
    return this.inner.open();
  }

  rows(): AsyncIterable<Uint8Array> {
    return this.inner!.rows();
  }

  failure(error: unknown): Outcome {
    return this.inner?.failure(error) ?? this.end.failure(error);
  }

  async close(): Promise<void> {
    await this.inner?.close();
    await this.end.close();
  }

  /** The order of the keys is the order of the rows. */
  private async keys(): Promise<string[]> {
    const { end } = this;
    const keys = (await end.client.keys(end.key)).filter((key) => key.endsWith(`.${end.extension}`));
    if (keys.length === 0) {
      const message = `s3 ${end.client.place}: no object begins with ${end.key} and ends with .${end.extension}`;
      throw new S3Refusal(failure('not_found', message));
    }
    if (keys.length > MOST_OBJECTS)
      throw new FieldFault(`"source.key": more than ${MOST_OBJECTS} objects begin with it`);
    return keys;
  }
}

export function s3Target(fields: JsonObject, site: DuckdbSite, plan: TransferPlan): TransferTarget {
  const end = new S3End(fields, 'target', plan);
  return end.isMany ? new S3Parts(end, plan) : new S3Object(end, site, plan);
}

class S3Object implements TransferTarget {
  private inner: DuckdbTarget | undefined;
  private isSending = false;

  constructor(
    private readonly end: S3End,
    private readonly site: DuckdbSite,
    private readonly plan: TransferPlan,
  ) {}

  async open(columns: Column[]): Promise<Progress> {
    const { end, plan } = this;
    if (plan.mode !== 'replace') await end.fetch(end.key, this.name).catch(unlessAbsent);
    const file = { path: this.name, format: end.extension.replace('jsonl', 'json') };
    this.inner = await DuckdbTarget.ofFile(file, await end.site(this.site), plan);
    return this.inner.open(columns);
  }

  write(chunk: Chunk, progress: Progress): Promise<void> {
    return this.inner!.write(chunk, progress);
  }

  async finish(progress: Progress): Promise<void> {
    await this.inner!.finish(progress);
    this.isSending = true;
    await this.end.store(this.name);
  }

  failure(error: unknown): Outcome {
    return this.inner && !this.isSending ? this.inner.failure(error) : this.end.failure(error);
  }

  async close(): Promise<void> {
    await this.inner?.close();
    await this.end.close();
  }

  private get name(): string {
    return `rows.${this.end.extension}`;
  }
}

class S3Parts implements TransferTarget {
  private columns: Column[] = [];
  private readonly start: string;

  constructor(
    private readonly end: S3End,
    plan: TransferPlan,
  ) {
    if (plan.mode !== 'append') throw new FieldFault('"mode" must be append if target.key ends with a slash');
    if (end.extension !== 'jsonl')
      throw new FieldFault('"target.format" must be json if target.key ends with a slash');
    this.start = `${end.key}${createHash('sha256').update(plan.id).digest('hex').slice(0, 16)}-`;
  }

  /** Chunks are written one after another: the last existing one says how far an earlier attempt got. */
  async open(columns: Column[]): Promise<Progress> {
    this.columns = columns;
    const last = (await this.end.client.keys(this.start)).at(-1)?.slice(this.start.length) ?? '0-0';
    const [chunks = 0, rows = 0] = last.split(/[-.]/).map(Number);
    return { chunks, rows, isDone: false };
  }

  async write({ bytes }: Chunk, { chunks, rows }: Progress): Promise<void> {
    const types = this.columns.map(({ type }) => type);
    const lines = csvRows(bytes.toString('utf8'), types).map((row) => {
      const entries = this.columns.map(({ name }, index) => [name, row[index] as Json]);
      return `${encodeJson(Object.fromEntries(entries))}\n`;
    });
    const body = Buffer.from(lines.join(''));
    const key = `${this.start}${String(chunks).padStart(6, '0')}-${rows}.jsonl`;
    const sum = { sha256: createHash('sha256').update(body).digest('hex'), size: body.length };
    await this.end.client.put(key, sum, async function* () {
      yield body;
    });
  }

  async finish(): Promise<void> {}

  failure(error: unknown): Outcome {
    return this.end.failure(error);
  }

  close(): Promise<void> {
    return this.end.close();
  }
}

function unlessAbsent(error: unknown): void {
  if (!(error instanceof S3Refusal && error.isAbsence)) throw error;
}
