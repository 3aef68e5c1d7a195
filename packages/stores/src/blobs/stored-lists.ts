/** The items of stored lists. Only a few windows are in memory at a time. */
import { createHash } from 'node:crypto';
import { asData, hasStoredParts, type Json, type Reference } from '@woof/net';
import { BlobError } from './blob-store.ts';
import { damaged } from './file-blobs.ts';
import { decodeWindow, type ReadBytes, sha256, type Window, windowsOf } from './list-windows.ts';

/** The size of the text of windows; decoded, they take several times as much. */
const REMEMBERED_BYTES = 4 * 1024 * 1024;
const REMEMBERED_LISTS = 100;

export class StoredLists {
  /** By key, oldest first; undefined: not a list. */
  private readonly indexes = new Map<string, Window[] | undefined>();
  /** Least recently used first. */
  private readonly recent = new Map<string, { items: Json[]; size: number }>();
  private recentBytes = 0;

  /** `bytesOf` throws a BlobError if the value is not available here. */
  constructor(private readonly bytesOf: (reference: Reference) => ReadBytes) {}

  /** Undefined: what is stored is not a list. */
  lengthOf(reference: Reference): number | undefined {
    const last = this.windows(reference)?.at(-1);
    return last && last.first + last.count;
  }

  itemAt(reference: Reference, index: number): Json {
    const window = windowWith(this.windows(reference) ?? [], index);
    return window ? (this.itemsIn(reference, window)[index - window.first] ?? null) : null;
  }

  private windows(reference: Reference): Window[] | undefined {
    if (this.indexes.has(reference.key)) return this.indexes.get(reference.key);
    const windows = this.read(reference);
    if (this.indexes.size >= REMEMBERED_LISTS) this.indexes.clear();
    this.indexes.set(reference.key, windows);
    return windows;
  }

  private read(reference: Reference): Window[] | undefined {
    const bytesOf = this.bytesOf(reference);
    const hash = createHash('sha256');
    const windows = readable(reference, () =>
      windowsOf(reference.size, (from, size) => {
        const bytes = bytesOf(from, size);
        hash.update(bytes);
        return bytes;
      }),
    );
    if (windows && hash.digest('hex') !== reference.key) throw damaged(reference);
    return windows;
  }

  private itemsIn(reference: Reference, { from, size, sha256: expected }: Window): Json[] {
    const name = `${reference.key} ${from} ${hasStoredParts(reference)}`;
    const known = this.recent.get(name);
    if (known) return this.use(name, known);
    const bytes = this.bytesOf(reference)(from, size);
    if (sha256(bytes) !== expected) throw damaged(reference);
    this.recentBytes += size;
    const items = decodeWindow(bytes);
    return this.use(name, { items: hasStoredParts(reference) ? items : asData(items), size });
  }

  private use(name: string, window: { items: Json[]; size: number }): Json[] {
    this.recent.delete(name);
    this.recent.set(name, window);
    for (const [oldest, { size }] of this.recent) {
      if (this.recentBytes <= REMEMBERED_BYTES || this.recent.size === 1) break;
      this.recent.delete(oldest);
      this.recentBytes -= size;
    }
    return window.items;
  }
}

/** The last window that begins at the item or before it. */
function windowWith(windows: readonly Window[], index: number): Window | undefined {
  let [low, high] = [0, windows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (windows[middle]!.first <= index) low = middle + 1;
    else high = middle;
  }
  return windows[low - 1];
}

function readable<T>({ key }: Reference, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new BlobError('unreadable', `the stored value ${key} is not JSON, although its reference says so`);
  }
}
