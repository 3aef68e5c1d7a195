/**
 * What cells gave, by content: outputs, value, and the symbols they left, under a key of everything they depend on.
 * Failures are never kept. An entry that cannot be read is none.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CellOutput } from '@woof/kernels';
import type { CellTask, Json, JsonObject } from '@woof/net';

export interface CacheEntry {
  outputs: CellOutput[];
  result: Json;
  /** base64; absent where the cell changed more than can be given back, which `incomplete` then tells. */
  symbols?: string;
  incomplete?: string;
}

export class CellCache {
  constructor(private readonly folder: string) {}

  async get(key: string): Promise<CacheEntry | undefined> {
    try {
      return JSON.parse(await readFile(this.pathOf(key), 'utf8')) as CacheEntry;
    } catch {
      return undefined;
    }
  }

  async put(key: string, entry: CacheEntry): Promise<void> {
    const path = this.pathOf(key);
    const aside = `${path}.${process.pid}`;
    await mkdir(join(this.folder, key.slice(0, 2)), { recursive: true });
    await writeFile(aside, JSON.stringify(entry));
    await rename(aside, path);
  }

  private pathOf(key: string): string {
    return join(this.folder, key.slice(0, 2), `${key.slice(2)}.json`);
  }
}

/** Parts of a key by name, so that `why` can tell which of them changed. */
export function keyParts(
  cell: CellTask,
  ancestors: readonly CellTask[],
  parameters: JsonObject,
  runtime: string,
): Record<string, string> {
  return {
    body: digest([cell.type, cell.language, cell.body]),
    deps: digest(ancestors.map((ancestor) => [ancestor.id, ancestor.type, ancestor.language, ancestor.body])),
    env: digest(cell.env),
    parameters: digest(parameters),
    permissions: digest([cell.declared, cell.permissions]),
    runtime: digest(runtime),
  };
}

export function keyOf(parts: Record<string, string>): string {
  return digest(parts);
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
