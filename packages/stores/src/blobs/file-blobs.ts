/**
 * Blobs as files in a folder: written under a temporary name, synced, then renamed, so that a file with its final name
 * is complete.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  promises,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isElsewhere, type Json, type Reference } from '@woof/net';
import { BlobError, type BlobStore } from './blob-store.ts';
import { storedText } from './stored-text.ts';

/**
 * Up to here, this thread writes the first value of a store itself. Many runs write nothing else, and Node would have to
 * start the threads that write files: 2 ms of a run's 40.
 */
const SMALL_BYTES = 16 * 1024;

const HEX = /^[0-9a-f]{64}$/;

export class FileBlobs implements BlobStore {
  /** Folders in `folder` whose own names are durable. */
  private readonly rooted = new Set<string>();

  constructor(private readonly folder: string) {}

  async put(bytes: AsyncIterable<Uint8Array>, options: { hint: Json; maxBytes: number }): Promise<Reference> {
    const hash = createHash('sha256');
    let size = 0;
    const digest = await this.write(async (file) => {
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > options.maxBytes) {
          throw new BlobError('too_large', `the value is larger than the limit of ${options.maxBytes} bytes`);
        }
        hash.update(chunk);
        // `write` may accept only a part, as on a disk that is about to be full.
        await file.appendFile(chunk);
      }
      return hash.digest('hex');
    });
    return referenceTo(digest, size, options.hint);
  }

  async putBytes(bytes: Buffer, reference: Reference): Promise<void> {
    const digest = digestOf(reference);
    const there = statSync(this.pathOf(digest), { throwIfNoEntry: false });
    // A truncated file is written again.
    if (there?.size === bytes.length) return;
    if (this.rooted.size === 0 && bytes.length <= SMALL_BYTES) return this.writeSmall(bytes, digest);
    await this.write(async (file) => {
      await file.appendFile(bytes);
      return digest;
    });
  }

  private writeSmall(bytes: Buffer, digest: string): void {
    const path = this.pathOf(digest);
    mkdirSync(dirname(path), { recursive: true });
    const aside = this.aside();
    try {
      writeFileSync(aside, bytes, { flag: 'wx', flush: true });
      renameSync(aside, path);
      for (const folder of [dirname(path), this.folder]) syncFolderNow(folder);
      this.rooted.add(dirname(path));
    } catch (error) {
      rmSync(aside, { force: true });
      throw error;
    }
  }

  /** `fill` returns the digest of what it wrote. */
  private async write(fill: (file: FileHandle) => Promise<string>): Promise<string> {
    mkdirSync(this.folder, { recursive: true });
    const aside = this.aside();
    try {
      const file = await promises.open(aside, 'wx');
      let digest: string;
      try {
        digest = await fill(file);
        await file.datasync();
      } finally {
        await file.close();
      }
      await this.moveIn(aside, this.pathOf(digest));
      return digest;
    } catch (error) {
      await promises.unlink(aside).catch(() => {});
      throw error;
    }
  }

  async *get(reference: Reference): AsyncIterable<Uint8Array> {
    const path = this.existing(reference);
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) {
      hash.update(chunk as Uint8Array);
      yield chunk as Uint8Array;
    }
    if (hash.digest('hex') !== digestOf(reference)) throw damaged(reference);
  }

  getText(reference: Reference): string {
    const bytes = readFileSync(this.existing(reference));
    if (createHash('sha256').update(bytes).digest('hex') !== digestOf(reference)) throw damaged(reference);
    return storedText(bytes, reference);
  }

  getBytes(reference: Reference, from: number, size: number): Buffer {
    const file = openSync(this.existing(reference), 'r');
    try {
      const bytes = Buffer.alloc(size);
      if (readSync(file, bytes, 0, size, from) !== size) throw damaged(reference);
      return bytes;
    } finally {
      closeSync(file);
    }
  }

  async bring(reference: Reference): Promise<void> {
    this.existing(reference);
  }

  has(reference: Reference): boolean {
    return existsSync(this.pathOf(digestOf(reference)));
  }

  async remove(reference: Reference): Promise<void> {
    await promises.rm(this.pathOf(digestOf(reference)), { force: true });
  }

  private existing(reference: Reference): string {
    const path = this.pathOf(digestOf(reference));
    if (!existsSync(path)) throw missing(reference);
    return path;
  }

  private async moveIn(aside: string, path: string): Promise<void> {
    await promises.mkdir(dirname(path), { recursive: true });
    await promises.rename(aside, path);
    await syncFolder(dirname(path));
    if (this.rooted.has(dirname(path))) return;
    await syncFolder(this.folder);
    this.rooted.add(dirname(path));
  }

  private aside(): string {
    return join(this.folder, `.${randomBytes(8).toString('hex')}`);
  }

  /** Where the file of a blob is, whether it exists or not. */
  pathOf(digest: string): string {
    return join(this.folder, digest.slice(0, 2), digest.slice(2));
  }
}

function syncFolderNow(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await promises.open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export function referenceTo(digest: string, size: number, hint: Json, store = 'file'): Reference {
  return { store, key: digest, checksum: `sha256:${digest}`, size, schema_hint: hint };
}

/** The key comes from templates and logs: only a digest may become part of a path. */
export function digestOf(reference: Reference): string {
  if (!HEX.test(reference.key))
    throw new BlobError('missing', `"${reference.key}" is not the key of a stored value`);
  return reference.key;
}

export function missing(reference: Reference): BlobError {
  const where = isElsewhere(reference)
    ? `is in ${reference.store}, which this playbook does not name as a store`
    : 'does not exist any more';
  return new BlobError('missing', `the stored value ${reference.key} ${where}`);
}

export function damaged(reference: Reference): BlobError {
  return new BlobError('damaged', `the stored value ${reference.key} does not match its checksum`);
}

export async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
