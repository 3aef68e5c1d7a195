/** Records in memory. */
import { decodeJson, encodeJson, type JsonObject } from '@woof/net';
import type { NewRecord, Records, Stored } from '../store.ts';

interface Entry {
  version: number;
  value: string;
}

export class MemoryRecords implements Records {
  private readonly collections = new Map<string, Map<string, Entry>>();

  async get(collection: string, key: string): Promise<Stored | undefined> {
    const entry = this.collections.get(collection)?.get(key);
    return entry && stored(key, entry);
  }

  async list(
    collection: string,
    { prefix = '', after, limit }: { prefix?: string; after?: string; limit?: number } = {},
  ): Promise<Stored[]> {
    const entries = [...(this.collections.get(collection) ?? [])]
      .filter(([key]) => key.startsWith(prefix) && (after === undefined || byBytes(key, after) > 0))
      .sort(([a], [b]) => byBytes(a, b));
    return entries.slice(0, limit ?? entries.length).map(([key, entry]) => stored(key, entry));
  }

  async put(collection: string, key: string, value: JsonObject, expected?: number): Promise<boolean> {
    const entries = this.collections.get(collection) ?? new Map<string, Entry>();
    const version = entries.get(key)?.version ?? 0;
    if (expected !== undefined && expected !== version) return false;
    entries.set(key, { version: version + 1, value: encodeJson(value) });
    this.collections.set(collection, entries);
    return true;
  }

  async add(collection: string, records: readonly NewRecord[]): Promise<void> {
    for (const { key, value } of records) await this.put(collection, key, value, 0);
  }

  async remove(collection: string, key: string, expected?: number): Promise<boolean> {
    const entries = this.collections.get(collection);
    const version = entries?.get(key)?.version;
    if (version === undefined || (expected !== undefined && expected !== version)) return false;
    return entries!.delete(key);
  }
}

function stored(key: string, { version, value }: Entry): Stored {
  return { key, version, value: decodeJson(value) as JsonObject };
}

/** The order that databases use: that of the UTF-8 bytes. */
function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
