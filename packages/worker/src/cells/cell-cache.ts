/**
 * The results of cells, addressed by content: outputs, value, and the symbols that they left, under a key of everything
 * that they depend on. Failures are never stored. An entry that cannot be read counts as missing.
 */
import { createHash, randomBytes } from 'node:crypto';
import { promises, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CellOutput, ChangedNames } from '@woof/kernels';
import { type CellTask, decodeJson, encodeJson, type Json, type JsonObject } from '@woof/net';
import type { SharedValues } from './shared-values.ts';

/** `names`: everything that the cell changed in its kernel, if it changed only names. */
export interface CacheEntry extends ChangedNames {
  outputs: CellOutput[];
  result: Json;
  /** In base64. Absent if the cell changed more than can be restored; `incomplete` then says what. */
  symbols?: string;
  incomplete?: string;
  /** What it gave to cells in other languages. */
  shared?: SharedValues;
}

export class CellCache {
  constructor(private readonly folder: string) {}

  /** Synchronous: cells that come from the cache without waiting for anything share one commit of the log. */
  get(key: string): CacheEntry | undefined {
    try {
      return decodeJson(readFileSync(this.pathOf(key), 'utf8')) as CacheEntry;
    } catch {
      return undefined;
    }
  }

  async put(key: string, entry: CacheEntry): Promise<void> {
    const path = this.pathOf(key);
    // The name ends as those of entries do, so that a file left behind by a crash is pruned like an entry.
    const aside = `${path}.${randomBytes(6).toString('hex')}.json`;
    await promises.mkdir(join(this.folder, key.slice(0, 2)), { recursive: true });
    await promises.writeFile(aside, encodeJson(entry));
    await promises.rename(aside, path);
  }

  /** The key parts of a notebook's cell at its last successful run. */
  async lastParts(file: string, cell: string): Promise<KeyParts | undefined> {
    try {
      return decodeJson(await promises.readFile(this.partsPath(file, cell), 'utf8')) as KeyParts;
    } catch {
      return undefined;
    }
  }

  async noteParts(file: string, cell: string, parts: KeyParts): Promise<void> {
    const path = this.partsPath(file, cell);
    await promises.mkdir(join(this.folder, 'last'), { recursive: true });
    await promises.writeFile(path, encodeJson(parts));
  }

  private partsPath(file: string, cell: string): string {
    return join(this.folder, 'last', `${digest([file, cell])}.json`);
  }

  private pathOf(key: string): string {
    return join(this.folder, key.slice(0, 2), `${key.slice(2)}.json`);
  }
}

export type KeyParts = Record<string, string>;

/** The parts of a cell's key by name, so that `why` can tell which of them changed. */
export type CellKeyParts = Record<
  'body' | 'deps' | 'earlier' | 'env' | 'parameters' | 'permissions' | 'runtime',
  string
>;

export interface KeySources {
  /** The cells that it depends on. */
  declared: readonly CellTask[];
  /** Other cells that ran before it and whose state it may see. */
  undeclared: readonly CellTask[];
  /** For ancestors with effects, what they left in this run: their bodies alone do not determine it. */
  observed: ReadonlyMap<string, string>;
  parameters: JsonObject;
  granted: JsonObject;
  runtime: string;
}

/** Undefined if the key would not cover everything that the cell depends on. */
export function keyParts(cell: CellTask, sources: KeySources): CellKeyParts | undefined {
  const { declared, undeclared, observed, parameters, granted, runtime } = sources;
  const isUnknown = (other: CellTask) => hasEffects(other) && !observed.has(other.id);
  if (hasEffects(cell) || declared.some(isUnknown) || undeclared.some(isUnknown)) return undefined;
  const textOf = ({ id, type, language, kernel, isolated, body }: CellTask) => [
    id,
    type,
    kernel ?? language,
    isolated,
    body,
    observed.get(id) ?? null,
  ];
  return {
    body: digest([cell.type, cell.kernel ?? cell.language, cell.isolated, cell.body]),
    deps: digest(declared.map(textOf)),
    earlier: digest(undeclared.map(textOf)),
    env: digest(cell.env),
    parameters: digest(parameters),
    permissions: digest([cell.declared, cell.permissions, granted]),
    runtime: digest(runtime),
  };
}

/** Files, network and programs change without the notebook's knowledge, so such a cell always runs. */
export function hasEffects({ declared }: CellTask): boolean {
  return declared.allow_files || declared.allow_network || declared.allow_shell;
}

export function keyOf(parts: KeyParts): string {
  return digest(parts);
}

export function digest(value: unknown): string {
  return createHash('sha256').update(encodeJson(value)).digest('hex');
}
