/** Values as tables: each is written to a file that DuckDB reads, whatever its size. */
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ArrowFault, type ArrowField, ArrowReader, castSql, identifier, storageSql } from '@woof/arrow';
import { encodeJson, type Json, type JsonObject, type Reference, referenceIn } from '@woof/net';
import { FieldFault, fault } from '../fields.ts';
import { jsonBytes } from '../json-bytes.ts';
import { makeScratch } from '../scratch-folder.ts';
import type { Blobs, IoPolicy } from '../tool.ts';
import type { BroughtTable } from './duckdb-process.ts';

export class DuckdbTables {
  private constructor(
    readonly folder: string,
    private readonly blobs: Blobs,
  ) {}

  static async create(
    blobs: Blobs,
    site: { policy: IoPolicy; workdir: string; isolate: boolean },
  ): Promise<DuckdbTables> {
    return new DuckdbTables(await makeScratch(site.isolate ? site : undefined), blobs);
  }

  /** The statements that create a view per table, and the Arrow tables to import first. */
  async views(tables: JsonObject): Promise<{ views: string[]; brought: BroughtTable[] }> {
    const views: string[] = [];
    const brought: BroughtTable[] = [];
    for (const [name, value] of Object.entries(tables)) {
      const path = join(this.folder, String(views.length + brought.length));
      await this.write(name, value, path);
      const reader = await readerOf(path);
      if (reader === undefined) brought.push(await broughtFrom(path, name));
      else views.push(`CREATE TEMP VIEW ${identifier(name)} AS SELECT * FROM ${reader}`);
    }
    return { views, brought };
  }

  /** A reference among the parameters becomes a file path: `read_json($rows)`. */
  async parameters(params: Json[] | JsonObject): Promise<Json[] | JsonObject> {
    const entries: [string, Json][] = [];
    for (const [key, value] of Object.entries(params)) {
      const path = join(this.folder, `p${entries.length}`);
      const reference = referenceIn(value);
      if (reference) await this.saveReadable(reference, path);
      entries.push([key, reference ? path : (value as Json)]);
    }
    return Array.isArray(params) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private async write(name: string, value: Json | undefined, path: string): Promise<void> {
    const reference = referenceIn(value);
    if (reference) return this.save(reference, path);
    if (!Array.isArray(value) || value.length === 0) {
      throw fault(`tables.${name}`, 'a reference or a list of rows that is not empty', value);
    }
    const lines = value.map((row) => {
      if (isTooLong(row))
        throw new FieldFault(
          `"tables.${name}" contains an integer of more than 64 bits, which DuckDB would read as a float; pass it as text, or with "params"`,
        );
      if (typeof row === 'object' && row !== null && !Array.isArray(row)) return `${encodeJson(row)}\n`;
      throw new FieldFault(`"tables.${name}" must be a list of maps, and it contains something else`);
    });
    await pipeline(Readable.from(lines), createWriteStream(path, { mode: 0o644 }));
  }

  private async save(reference: Reference, path: string): Promise<void> {
    await pipeline(this.blobs.get(reference), createWriteStream(path, { mode: 0o644 }));
  }

  /** Saves it in a format that SQL can read directly. */
  private async saveReadable(reference: Reference, path: string): Promise<void> {
    await pipeline(jsonBytes(reference, this.blobs), createWriteStream(path, { mode: 0o644 }));
  }
}

/** DuckDB infers types from JSON, and would read such a number as a float. */
function isTooLong(value: Json): boolean {
  if (typeof value === 'bigint')
    return BigInt.asUintN(64, value) !== value && BigInt.asIntN(64, value) !== value;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((part) => isTooLong(part as Json));
}

/** Finds the positions of the batches in an Arrow file. */
async function broughtFrom(path: string, name: string): Promise<BroughtTable> {
  let fields: ArrowField[] = [];
  let position = 0;
  const reader = new ArrowReader();
  async function* lines(): AsyncGenerator<string> {
    for await (const bytes of createReadStream(path, { highWaterMark: 1024 * 1024 }))
      for (const part of reader.push(bytes as Buffer)) {
        position += part.bytes.length;
        if ('fields' in part) fields = part.fields;
        if (!('batch' in part)) continue;
        const { body, ...batch } = part.batch;
        yield `${encodeJson({ ...batch, length: body.length, at: position - body.length })}\n`;
      }
    reader.finish();
  }
  try {
    await pipeline(lines(), createWriteStream(`${path}.batches`, { mode: 0o644 }));
    const table = `woof_arrow_${basename(path)}`;
    const columns = fields.map((field) => `${identifier(field.name)} ${storageSql(field)}`);
    const casts = fields.map(
      (field) => `CAST(${identifier(field.name)} AS ${castSql(field)}) AS ${identifier(field.name)}`,
    );
    return {
      ...{ table, fields, file: path, batches: `${path}.batches` },
      create: `CREATE TEMP TABLE ${table} (${columns.join(', ')})`,
      view: `CREATE TEMP VIEW ${identifier(name)} AS SELECT ${casts.join(', ')} FROM ${table}`,
    };
  } catch (error) {
    if (error instanceof ArrowFault)
      throw new FieldFault(`"tables.${name}" cannot be read: ${error.message}`);
    throw error;
  }
}

/** The reader for a file, by its first bytes. Undefined: Arrow, which DuckDB cannot read itself. */
async function readerOf(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(64), 0, 64, 0);
    const head = buffer.toString('latin1', 0, bytesRead);
    if (head.startsWith('\xff\xff\xff\xff')) return undefined;
    if (head.startsWith('PAR1')) return `read_parquet(${literal(path)})`;
    if (/^\s*[[{]/.test(head)) return `read_json(${literal(path)}, maximum_object_size = 67108864)`;
    return `read_csv(${literal(path)})`;
  } finally {
    await file.close();
  }
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
