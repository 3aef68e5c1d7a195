/**
 * A folder in front of blobs that are stored elsewhere. What is put is durable there; the folder only saves the round
 * trip.
 *
 * Bounded: when the folder holds more than it may, the least recently used files are removed, but nothing that was used
 * within the last minute, so that a fetched value is still present when it is asked for. A damaged file counts as
 * missing.
 */
import { promises, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Json, Reference } from '@woof/net';
import { BlobError, type BlobStore } from './blob-store.ts';
import { digestOf, FileBlobs } from './file-blobs.ts';

const IN_USE_MS = 60_000;
/** Trims below the limit, so that not every new blob scans the folder. */
const TRIMMED_SHARE = 0.8;

interface Entry {
  path: string;
  size: number;
  usedAt: number;
}

export class CachedBlobs implements BlobStore {
  private readonly files: FileBlobs;
  private readonly underWay = new Map<string, Promise<void>>();
  private readonly maxBytes: number;
  private readonly inUseMs: number;
  /** Unknown until the folder has been scanned. */
  private total = Number.POSITIVE_INFINITY;

  constructor(
    private readonly folder: string,
    private readonly remote: Pick<BlobStore, 'put' | 'putBytes' | 'get'>,
    options: { maxBytes?: number; inUseMs?: number } = {},
  ) {
    this.files = new FileBlobs(folder);
    this.maxBytes = options.maxBytes ?? 2 * 1024 ** 3;
    this.inUseMs = options.inUseMs ?? IN_USE_MS;
  }

  async put(bytes: AsyncIterable<Uint8Array>, options: { hint: Json; maxBytes: number }): Promise<Reference> {
    const near = await this.files.put(bytes, options);
    const far = await this.remote.put(this.files.get(near), options);
    await this.trim(near.size);
    return far;
  }

  async putBytes(bytes: Buffer, reference: Reference): Promise<void> {
    await Promise.all([this.files.putBytes(bytes, reference), this.remote.putBytes(bytes, reference)]);
    await this.trim(reference.size);
  }

  async *get(reference: Reference): AsyncIterable<Uint8Array> {
    const isNear = await this.isWhole(reference);
    yield* isNear ? this.files.get(reference) : this.remote.get(reference);
  }

  getText(reference: Reference): string {
    return this.atHand(reference, () => this.files.getText(reference));
  }

  getBytes(reference: Reference, from: number, size: number): Buffer {
    return this.atHand(reference, () => this.files.getBytes(reference, from, size));
  }

  private atHand<T>(reference: Reference, read: () => T): T {
    try {
      const got = read();
      this.use(reference);
      return got;
    } catch (error) {
      if (!isAbsence(error)) throw error;
      throw new BlobError('not_at_hand', `the stored value ${reference.key} is not on this machine yet`);
    }
  }

  /** Many may ask for the same value at once. */
  bring(reference: Reference): Promise<void> {
    const known = this.underWay.get(reference.key);
    if (known) return known;
    const bringing = this.fetch(reference).finally(() => this.underWay.delete(reference.key));
    this.underWay.set(reference.key, bringing);
    return bringing;
  }

  private async fetch(reference: Reference): Promise<void> {
    if (await this.isWhole(reference)) return this.use(reference);
    const limits = { hint: reference.schema_hint, maxBytes: Number.POSITIVE_INFINITY };
    const { size } = await this.files.put(this.remote.get(reference), limits);
    await this.trim(size);
  }

  /** Removes the file if its content does not match its name. */
  private async isWhole(reference: Reference): Promise<boolean> {
    try {
      for await (const _ of this.files.get(reference));
      return true;
    } catch (error) {
      if (!isAbsence(error)) throw error;
      await this.files.remove(reference).catch(() => {});
      return false;
    }
  }

  private use(reference: Reference): void {
    try {
      const now = new Date();
      utimesSync(this.files.pathOf(digestOf(reference)), now, now);
    } catch {
      // Somebody removed it meanwhile; then it is fetched again.
    }
  }

  private async trim(added: number): Promise<void> {
    this.total += added;
    if (this.total <= this.maxBytes) return;
    const entries = await this.entries();
    this.total = entries.reduce((sum, entry) => sum + entry.size, 0);
    if (this.total <= this.maxBytes) return;
    const before = Date.now() - this.inUseMs;
    for (const { path, size, usedAt } of entries.sort((a, b) => a.usedAt - b.usedAt)) {
      if (this.total <= this.maxBytes * TRIMMED_SHARE || usedAt > before) return;
      await promises.rm(path, { force: true });
      this.total -= size;
    }
  }

  private async entries(): Promise<Entry[]> {
    const paths = (await promises.readdir(this.folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const entries: Entry[] = [];
    for (const path of paths) {
      // Another process may have removed it.
      const stats = await promises.stat(path).catch(() => undefined);
      if (stats) entries.push({ path, size: stats.size, usedAt: stats.mtimeMs });
    }
    return entries;
  }
}

function isAbsence(error: unknown): boolean {
  if (error instanceof BlobError) return error.fault === 'missing' || error.fault === 'damaged';
  return (error as { code?: string }).code === 'ENOENT';
}
