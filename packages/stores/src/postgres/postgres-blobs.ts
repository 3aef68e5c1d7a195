/**
 * Blobs in Postgres, in chunks, so that neither side holds a whole blob.
 *
 * An upload has its own name until its last statement makes it the blob of its digest; nobody sees it before. Uploads
 * of a process that died are removed by a later put. `getText` needs `CachedBlobs`.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Json, Reference } from '@woof/net';
import { BlobError, type BlobStore } from '../blobs/blob-store.ts';
import { damaged, digestOf, missing, once, referenceTo } from '../blobs/file-blobs.ts';
import { StoreError } from '../store.ts';
import type { Pool } from './pool.ts';

const CHUNK_BYTES = 256 * 1024;
const ABANDONED_MS = 3_600_000;
const SWEEP_EVERY_MS = 600_000;

const BEGIN = 'INSERT INTO woof.uploads VALUES ($1, woof.now_ms())';
/** Nothing is added to an upload that was considered abandoned. */
const ADD = `
WITH mine AS (UPDATE woof.uploads SET seen_at = woof.now_ms() WHERE upload = $1 RETURNING upload)
INSERT INTO woof.chunks SELECT upload, $2::integer, $3::bytea FROM mine RETURNING no`;
const FINISH = `
WITH mine AS (DELETE FROM woof.uploads WHERE upload = $1 RETURNING upload),
made AS (
  INSERT INTO woof.blobs SELECT $2::text, upload, $3::bigint FROM mine ON CONFLICT DO NOTHING RETURNING upload
), superfluous AS (
  DELETE FROM woof.chunks WHERE upload IN (SELECT upload FROM mine) AND NOT EXISTS (SELECT 1 FROM made)
)
SELECT upload FROM mine`;
/** Only if it is still an upload: an answer to `FINISH` may have been lost. */
const DROP = `
WITH gone AS (DELETE FROM woof.uploads WHERE upload = $1 RETURNING upload)
DELETE FROM woof.chunks WHERE upload IN (SELECT upload FROM gone)`;
const SWEEP = `
WITH gone AS (DELETE FROM woof.uploads WHERE seen_at < woof.now_ms() - $1::bigint RETURNING upload)
DELETE FROM woof.chunks WHERE upload IN (SELECT upload FROM gone)`;

export class PostgresBlobs implements BlobStore {
  private sweptAt = 0;

  constructor(private readonly pool: Pool) {}

  async put(bytes: AsyncIterable<Uint8Array>, options: { hint: Json; maxBytes: number }): Promise<Reference> {
    await this.sweep();
    const upload = randomUUID();
    try {
      await this.pool.query(BEGIN, [upload]);
      const { digest, size } = await this.send(upload, bytes, options.maxBytes);
      if ((await this.pool.query(FINISH, [upload, digest, size])).length === 0) throw abandoned();
      return referenceTo(digest, size, options.hint, 'postgres');
    } catch (error) {
      // If the database is gone too, a later sweep does it.
      await this.pool.query(DROP, [upload]).catch(() => {});
      throw error;
    }
  }

  private async send(upload: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number) {
    const hash = createHash('sha256');
    let [size, no] = [0, 0];
    for await (const chunk of chunksOf(bytes)) {
      size += chunk.length;
      if (size > maxBytes)
        throw new BlobError('too_large', `the value is larger than the limit of ${maxBytes} bytes`);
      hash.update(chunk);
      if ((await this.pool.query(ADD, [upload, no++, chunk])).length === 0) throw abandoned();
    }
    return { digest: hash.digest('hex'), size };
  }

  async putBytes(bytes: Buffer, reference: Reference): Promise<void> {
    const sql = 'SELECT 1 FROM woof.blobs WHERE digest = $1';
    if ((await this.pool.query(sql, [digestOf(reference)])).length > 0) return;
    await this.put(once(bytes), { hint: reference.schema_hint, maxBytes: bytes.length });
  }

  async *get(reference: Reference): AsyncIterable<Uint8Array> {
    const find = 'SELECT upload, size FROM woof.blobs WHERE digest = $1';
    const [blob] = await this.pool.query<{ upload: string; size: number }>(find, [digestOf(reference)]);
    if (blob === undefined) throw missing(reference);
    const hash = createHash('sha256');
    const count = Math.ceil(blob.size / CHUNK_BYTES);
    const sql = 'SELECT bytes FROM woof.chunks WHERE upload = $1 AND no = $2';
    for (let no = 0; no < count; no++) {
      const [chunk] = await this.pool.query<{ bytes: Buffer }>(sql, [blob.upload, no]);
      if (chunk === undefined) throw damaged(reference);
      hash.update(chunk.bytes);
      yield chunk.bytes;
    }
    if (hash.digest('hex') !== reference.key) throw damaged(reference);
  }

  getText(reference: Reference): string {
    throw new BlobError('not_at_hand', `the stored value ${reference.key} is in the database`);
  }

  async bring(reference: Reference): Promise<void> {
    for await (const _ of this.get(reference));
  }

  private async sweep(): Promise<void> {
    if (Date.now() - this.sweptAt < SWEEP_EVERY_MS) return;
    this.sweptAt = Date.now();
    await this.pool.query(SWEEP, [ABANDONED_MS]);
  }
}

function abandoned(): StoreError {
  return new StoreError(
    'unavailable',
    'Woof dropped the upload because it made no progress for an hour. Start it again',
  );
}

/** Pieces of equal size, however the bytes arrive; small ones are combined. */
async function* chunksOf(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const piece of bytes) {
    for (let rest = piece; rest.length > 0; ) {
      const part = rest.subarray(0, CHUNK_BYTES - size);
      // A source may reuse its buffer.
      parts.push(Buffer.from(part));
      size += part.length;
      rest = rest.subarray(part.length);
      if (size < CHUNK_BYTES) continue;
      yield Buffer.concat(parts);
      [parts, size] = [[], 0];
    }
  }
  if (size > 0) yield Buffer.concat(parts);
}
