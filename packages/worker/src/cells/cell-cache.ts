/**
 * What cells gave, by content: outputs, value, and the symbols they left, under a key of everything they depend on.
 * Failures are never kept. An entry that cannot be read is none.
 */
import { createHash, randomBytes } from 'node:crypto';
import { promises, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CellOutput, ChangedNames } from '@woof/kernels';
import { type CellTask, decodeJson, encodeJson, type Json, type JsonObject } from '@woof/net';
import type { SharedValues } from './shared-values.ts';

/** `names`: all that it changed in its kernel, where that is nothing but names. */
export interface CacheEntry extends ChangedNames {
  outputs: CellOutput[];
  result: Json;
  /** base64; absent where the cell changed more than can be given back, which `incomplete` then tells. */
  symbols?: string;
  incomplete?: string;
  /** What it gave to cells of other languages. */
  shared?: SharedValues;
}

export class CellCache {
  constructor(private readonly folder: string) {}

  /** At once: cells that come from the cache without waiting for anything share one commit of the log. */
  get(key: string): CacheEntry | undefined {
    try {
      return decodeJson(readFileSync(this.pathOf(key), 'utf8')) as CacheEntry;
    } catch {
      return undefined;
    }
  }

  async put(key: string, entry: CacheEntry): Promise<void> {
    const path = this.pathOf(key);
    // Ends as entries do, so that one that a crash left behind is pruned like them.
    const aside = `${path}.${randomBytes(6).toString('hex')}.json`;
    await promises.mkdir(join(this.folder, key.slice(0, 2)), { recursive: true });
    await promises.writeFile(aside, encodeJson(entry));
    await promises.rename(aside, path);
  }

  /** The parts that a cell of a notebook had when it last ran well. */
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

/** Parts of a key by name, so that `why` can tell which of them changed. */
export type KeyParts = Record<string, string>;

export interface KeySources {
  /** What it builds on. */
  declared: readonly CellTask[];
  /** What else it may see of cells that ran before it. */
  undeclared: readonly CellTask[];
  /** Of ancestors with effects, what they left in this run: their bodies alone do not tell. */
  observed: ReadonlyMap<string, string>;
  parameters: JsonObject;
  granted: JsonObject;
  runtime: string;
}

/** Undefined where the key would not hold everything that the cell depends on. */
export function keyParts(cell: CellTask, sources: KeySources): KeyParts | undefined {
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

/** Files, network and programs change without the notebook knowing: such a cell always runs. */
export function hasEffects({ declared }: CellTask): boolean {
  return declared.allow_files || declared.allow_network || declared.allow_shell;
}

export function keyOf(parts: KeyParts): string {
  return digest(parts);
}

export function digest(value: unknown): string {
  return createHash('sha256').update(encodeJson(value)).digest('hex');
}
