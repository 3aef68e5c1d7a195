/** Large values: what is over the inline limit goes to the blob store and a reference stands in its place. */
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
  type Json,
  type JsonObject,
  listParts,
  type Reference,
  storedSize,
  tooLarge,
} from '@woof/net';
import { BlobError, type BlobStore } from './blob-store.ts';
import { referenceTo } from './file-blobs.ts';
import { StoredLists } from './stored-lists.ts';
import { isUntyped } from './stored-text.ts';

export const INLINE_MAX_BYTES = 64 * 1024;
/** Largest stored value that is read into memory. As an object it takes several times as much. */
export const VALUE_BYTES = 128 * 1024 * 1024;
/** Of JSON text: an escape such as `\u0000`; a number such as -1.2345678901234567e-300. */
const LONGEST_CHARACTER = 6;
const LONGEST_SCALAR = 25;
const LONGEST_INT = 4301;
const REMEMBERED_BYTES = 64 * 1024 * 1024;
const REMEMBERED_KEYS = 10_000;

export interface ValuesOptions {
  /** Longest JSON text that stays in the log. */
  inlineMaxBytes?: number | undefined;
  /** Largest stored value that is read; absent: VALUE_BYTES. */
  valueBytes?: number | undefined;
}

export class Values {
  private readonly pending = new Map<string, { bytes: Buffer; reference: Reference }>();
  /** Values at hand, oldest first. */
  private readonly recent = new Map<string, { value: Json; size: number }>();
  private recentBytes = 0;
  /** Keys of values that were stored for who wanted their references. */
  private readonly kept = new Set<string>();
  /** Asked for and not at hand: what was worked out without them is void. */
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

  offload = (value: Json, inlineMaxBytes = this.inlineMaxBytes): Json => {
    if (value === null || typeof value !== 'object' || isReference(value)) {
      if (typeof value !== 'string' || value.length <= inlineMaxBytes / 4) return value;
    }
    if (isSurelyWithin(value, inlineMaxBytes)) return value;
    const bytes = Buffer.from(encodeJson(value));
    if (bytes.length <= inlineMaxBytes) return value;
    const reference = this.pend(bytes, value);
    this.remember(nameOf(reference), value, bytes.length);
    return reference;
  };

  /** Gives a value to the blob store, whatever its size. Nobody is expected to read it soon. */
  putAway = (value: Json): Reference => this.pend(Buffer.from(encodeJson(value)), value);

  private pend(bytes: Buffer, value: Json): Reference {
    const digest = createHash('sha256').update(bytes).digest('hex');
    const reference = referenceTo(digest, bytes.length, hintOf(value));
    this.pending.set(reference.key, { bytes, reference });
    return reference;
  }

  resolve = (reference: Reference): Json => {
    // Also where it is at hand: whether a run fails must not depend on what else the process did.
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

  /** How long a stored list is; undefined: it is something else, or can be read as a whole only. */
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

  /** Throws where a value is too large to be read into memory. */
  check(reference: Reference): void {
    const size = storedSize(reference);
    if (size > this.valueBytes) throw tooLarge('it has', size, this.valueBytes);
  }

  /** What decisions may do with values. */
  get access(): Pick<Env, 'offload' | 'putAway' | 'resolve' | 'lengthOf' | 'itemOf'> {
    const { offload, putAway, resolve, lengthOf, itemOf } = this;
    return { offload, putAway, resolve, lengthOf, itemOf };
  }

  /** What templates may ask of the world, where their values are these. */
  host(now: () => number): Env['host'] {
    const store = (value: unknown) => this.store(value as Json);
    return { now, random: Math.random, load: this.resolve, store, loadableBytes: this.valueBytes };
  }

  /** Something that was asked for since the last call of `bring` lies elsewhere. */
  get hasMissing(): boolean {
    return this.missing.size > 0;
  }

  /** What was asked for and lies elsewhere; from now on nothing is missing. */
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

  /** For who hands the reference on: what was worked out with it is void until the value is in the store. */
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

  /**
   * Must resolve before the events that carry the references are appended. A value that cannot be stored stays, and is
   * tried with the next; where `onRefused` takes the error, it goes.
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

/** Looks without writing the value out: most are small, and then that is most of the work. */
function isSurelyWithin(value: Json, bytes: number): boolean {
  return roomAfter(value, bytes) >= 0;
}

/** Of `room` bytes, those left after the value's JSON text at its longest; negative where it may not fit. */
function roomAfter(value: Json, room: number): number {
  if (typeof value === 'string') return room - LONGEST_CHARACTER * value.length - 2;
  if (typeof value === 'bigint') return room - LONGEST_INT;
  if (typeof value !== 'object' || value === null) return room - LONGEST_SCALAR;
  let left = room - 2;
  for (const key in value) {
    if (left < 0) return left;
    left = roomAfter((value as JsonObject)[key]!, left - LONGEST_CHARACTER * key.length - 4);
  }
  return left;
}

/** The same bytes are another value where they hold references. */
const nameOf = (reference: Reference): string =>
  hasStoredParts(reference) ? `${reference.key} in parts` : reference.key;

function rethrow(_reference: Reference, error: unknown): never {
  throw error;
}

/** Bodies of other servers are stored as what these say that they are. */
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

/** Bytes that are said to hold no references hold data, whatever it looks like. */
function dataUnlessParts<T extends Json>(value: T, reference: Reference): T {
  return hasStoredParts(reference) ? value : asData(value);
}

/** Its bytes are not its text. */
function isConverted(reference: Reference): boolean {
  return isArrow(reference) || isUntyped(reference);
}

/** Tools store bodies of other types, as they came, with their content type. The text of a table is JSON. */
function isJson(reference: Reference): boolean {
  const type = (reference.schema_hint as JsonObject | null)?.content_type;
  return typeof type !== 'string' || type.includes('json') || isArrow(reference);
}
