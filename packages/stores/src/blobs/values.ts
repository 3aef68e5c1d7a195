/** Large values: a value over the inline limit goes to the blob store, and a reference takes its place. */
import { createHash } from 'node:crypto';
import { isArrow } from '@woof/arrow';
import {
  asData,
  decodeJson,
  type Env,
  encodeJson,
  hasStoredParts,
  hintOf,
  isReference,
  isSurelyWithin,
  type Json,
  type JsonObject,
  listParts,
  oversize,
  type Reference,
  tooLarge,
  wholeSize,
} from '@woof/net';
import { BlobError, type BlobStore } from './blob-store.ts';
import { referenceTo } from './file-blobs.ts';
import { StoredLists } from './stored-lists.ts';
import { isUntyped } from './stored-text.ts';

export const INLINE_MAX_BYTES = 64 * 1024;
/** The largest stored value that is read into memory. As an object it takes several times as much. */
export const VALUE_BYTES = 128 * 1024 * 1024;
/**
 * To make room for other values of an event, so many values leave it at most, and none that is smaller: each costs a file
 * and several syncs.
 */
const MOST_MOVED = 128;
const SMALLEST_MOVED = 16 * 1024;
const REMEMBERED_BYTES = 64 * 1024 * 1024;
const REMEMBERED_KEYS = 10_000;

export interface ValuesOptions {
  /** The longest JSON text that stays in the log. */
  inlineMaxBytes?: number | undefined;
  /** The largest stored value that is read. Absent: VALUE_BYTES. */
  valueBytes?: number | undefined;
}

export class Values {
  private readonly pending = new Map<string, { bytes: Buffer; reference: Reference }>();
  /** Loaded values, oldest first. */
  private readonly recent = new Map<string, { value: Json; size: number }>();
  private recentBytes = 0;
  /** Keys of values that were stored because their references were wanted. */
  private readonly kept = new Set<string>();
  /** Values that were asked for and are not loaded: results computed without them are void. */
  private readonly missing = new Map<string, Reference>();

  private readonly lists = new StoredLists((reference) => this.bytesOf(reference));

  private readonly inlineMaxBytes: number;
  private readonly valueBytes: number;

  constructor(
    private readonly blobs: Omit<BlobStore, 'put' | 'get'>,
    { inlineMaxBytes, valueBytes }: ValuesOptions = {},
  ) {
    this.inlineMaxBytes = inlineMaxBytes ?? INLINE_MAX_BYTES;
    this.valueBytes = valueBytes ?? VALUE_BYTES;
  }

  /**
   * A value that is too large to read is always a reference, even if its text is short because its parts are stored.
   * Whoever reads any part of it then gets the same error, wherever the parts are.
   */
  offload = (value: Json, longest = this.inlineMaxBytes): Json => {
    const inlineMaxBytes = Math.min(longest, this.valueBytes);
    if (value === null || typeof value !== 'object' || isReference(value)) {
      if (typeof value !== 'string' || value.length <= inlineMaxBytes / 4) return value;
    }
    if (isSurelyWithin(value, inlineMaxBytes)) return value;
    return this.measured(value, inlineMaxBytes).kept;
  };

  /** The value or its reference, and the size of the text of what is kept. */
  private measured(value: Json, inlineMaxBytes: number): { kept: Json; size: number } {
    const text = encodeJson(value);
    if (isReference(value) || !isOffloadable(value)) return { kept: value, size: text.length };
    const bytes = Buffer.from(text);
    if (bytes.length <= inlineMaxBytes && !oversize(value, this.valueBytes))
      return { kept: value, size: bytes.length };
    const reference = this.pend(bytes, value);
    this.remember(nameOf(reference), value, bytes.length);
    return { kept: reference, size: encodeJson(reference).length };
  }

  /**
   * The same for values that one event holds together. If they are too large together, the largest go to the store
   * until the others fit, or only short ones are left.
   */
  offloadAll = (values: readonly Json[]): Json[] => {
    const room = Math.min(this.inlineMaxBytes, this.valueBytes);
    if (isSurelyWithin(values, room)) return [...values];
    const all = values.map((value) => this.measured(value, room));
    let total = all.reduce((sum, { size }) => sum + size, 0);
    for (const each of [...all].sort((a, b) => b.size - a.size).slice(0, MOST_MOVED)) {
      if (total <= room || each.size < SMALLEST_MOVED) break;
      total -= each.size;
      Object.assign(each, this.measured(each.kept, 0));
      total += each.size;
    }
    return all.map(({ kept }) => kept);
  };

  /** Moves a value to the blob store, whatever its size. Nobody is expected to read it soon. */
  putAway = (value: Json): Reference => this.pend(Buffer.from(encodeJson(value)), value);

  private pend(bytes: Buffer, value: Json): Reference {
    const digest = createHash('sha256').update(bytes).digest('hex');
    const reference = referenceTo(digest, bytes.length, hintOf(value));
    this.pending.set(reference.key, { bytes, reference });
    return reference;
  }

  resolve = (reference: Reference): Json => {
    // Checked even if it is loaded: whether a run fails must not depend on what else the process did.
    this.check(reference);
    const parts = listParts(reference);
    if (parts) return parts.flatMap((part) => (isReference(part) ? this.resolve(part) : part));
    const name = nameOf(reference);
    const known = this.recent.get(name);
    if (known) return known.value;
    const pending = this.pending.get(reference.key);
    const text = pending
      ? pending.bytes.toString()
      : this.noting(reference, () => this.blobs.getText(reference));
    const value = storedValue(reference, text);
    this.remember(name, value, reference.size);
    return value;
  };

  /** A value that is in memory; undefined: it would have to be read. */
  atHand = (reference: Reference): Json | undefined => this.recent.get(nameOf(reference))?.value;

  /** The length of a stored list; undefined: it is something else, or can only be read as a whole. */
  lengthOf = (reference: Reference): number | undefined => {
    this.check(reference);
    return this.isInParts(reference) ? this.lists.lengthOf(reference) : undefined;
  };

  /** An item of a stored list. The list as a whole need not fit into memory. */
  itemOf = (reference: Reference, index: number): Json => {
    if (this.isInParts(reference)) return this.lists.itemAt(reference, index);
    return (this.resolve(reference) as Json[])[index] ?? null;
  };

  private isInParts(reference: Reference): boolean {
    return (
      this.blobs.getBytes !== undefined && isJson(reference) && !isConverted(reference) && !reference.more
    );
  }

  private bytesOf(reference: Reference): (from: number, size: number) => Buffer {
    const pending = this.pending.get(reference.key)?.bytes;
    return (from, size) =>
      pending?.subarray(from, from + size) ??
      this.noting(reference, () => this.blobs.getBytes!(reference, from, size));
  }

  /** Throws if a value is too large to read into memory. */
  check(reference: Reference): void {
    const size = wholeSize(reference);
    if (size > this.valueBytes) throw tooLarge(size, this.valueBytes);
  }

  /** What decisions may do with values. */
  get access(): Omit<Env, 'now' | 'host' | 'limits' | 'page'> {
    const { offload, offloadAll, putAway, resolve, atHand, lengthOf, itemOf } = this;
    return { offload, offloadAll, putAway, resolve, atHand, lengthOf, itemOf };
  }

  /** What templates may ask of the world, with these values. */
  host(now: () => number): Env['host'] {
    const store = (value: unknown) => this.store(value as Json);
    return { now, random: Math.random, load: this.resolve, store, loadableBytes: this.valueBytes };
  }

  /** True: something that was asked for since the last call of `bring` is not loaded. */
  get hasMissing(): boolean {
    return this.missing.size > 0;
  }

  /** Returns what was asked for and is not loaded; afterwards nothing is missing. */
  takeMissing(): Reference[] {
    const references = [...this.missing.values()];
    this.missing.clear();
    return references;
  }

  async bring(references = this.takeMissing()): Promise<void> {
    for (const reference of references) {
      const pending = this.pending.get(reference.key);
      if (pending) await this.keep(pending);
      else await this.blobs.bring(reference);
    }
  }

  /** For callers that pass the reference on: results computed with it are void until the value is in the store. */
  private readonly store = (value: Json): Reference => {
    const bytes = Buffer.from(encodeJson(value));
    const digest = createHash('sha256').update(bytes).digest('hex');
    if (this.kept.has(digest)) return referenceTo(digest, bytes.length, hintOf(value));
    const reference = this.pend(bytes, value);
    this.missing.set(reference.key, reference);
    return reference;
  };

  private async keep({ bytes, reference }: { bytes: Buffer; reference: Reference }): Promise<void> {
    await this.blobs.putBytes(bytes, reference);
    this.pending.delete(reference.key);
    if (this.kept.size >= REMEMBERED_KEYS) this.kept.clear();
    this.kept.add(reference.key);
  }

  private noting<T>(reference: Reference, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof BlobError && error.fault === 'not_at_hand')
        this.missing.set(reference.key, reference);
      throw error;
    }
  }

  get hasPending(): boolean {
    return this.pending.size > 0;
  }

  /** The size of all values that are not in the store yet. */
  get pendingBytes(): number {
    let bytes = 0;
    for (const { reference } of this.pending.values()) bytes += reference.size;
    return bytes;
  }

  /**
   * Must resolve before the events that carry the references are appended. A value that cannot be stored stays and is
   * retried with the next call; if `onRefused` accepts the error, the value is dropped.
   */
  async save(onRefused: (reference: Reference, error: unknown) => void = rethrow): Promise<void> {
    for (const [key, { bytes, reference }] of [...this.pending]) {
      await this.blobs.putBytes(bytes, reference).catch((error: unknown) => onRefused(reference, error));
      this.pending.delete(key);
    }
  }

  private remember(key: string, value: Json, size: number): void {
    this.recentBytes += size - (this.recent.get(key)?.size ?? 0);
    this.recent.set(key, { value, size });
    for (const [oldest, entry] of this.recent) {
      if (this.recentBytes <= REMEMBERED_BYTES || this.recent.size === 1) return;
      this.recent.delete(oldest);
      this.recentBytes -= entry.size;
    }
  }
}

/** References do not help with numbers, however long. */
const isOffloadable = (value: Json): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null);

/** The same bytes are a different value if they contain references. */
const nameOf = (reference: Reference): string =>
  hasStoredParts(reference) ? `${reference.key} in parts` : reference.key;

function rethrow(_reference: Reference, error: unknown): never {
  throw error;
}

/** Bodies from other servers are stored as the type that those servers declare. */
export function storedValue(reference: Reference, text: string): Json {
  if (!isJson(reference)) return text;
  try {
    return dataUnlessParts(decodeJson(text), reference);
  } catch {
    throw new BlobError(
      'unreadable',
      `the stored value ${reference.key} is not JSON, although its reference says so`,
    );
  }
}

/** Bytes that are declared to contain no references are data, whatever they look like. */
function dataUnlessParts<T extends Json>(value: T, reference: Reference): T {
  return hasStoredParts(reference) ? value : asData(value);
}

/** True: its bytes are not its text. */
function isConverted(reference: Reference): boolean {
  return isArrow(reference) || isUntyped(reference);
}

/** Tools store bodies of other types unchanged, with their content type. The text of a table is JSON. */
function isJson(reference: Reference): boolean {
  const type = (reference.schema_hint as JsonObject | null)?.content_type;
  return typeof type !== 'string' || type.includes('json') || isArrow(reference);
}
