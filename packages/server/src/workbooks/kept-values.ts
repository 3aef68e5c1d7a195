/**
 * Values that workbooks keep (`wb.persist`): one file per key, in a folder named by the workbook's content hash. Values
 * are text. The caller decides by the hash whose values they are, never by what a workbook says. Bounded in number and
 * size.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from './write-whole.ts';

export const KEPT_LIMITS = {
  keyLength: 1000,
  valueBytes: 16 * 1024 * 1024,
  keys: 1000,
  bytes: 64 * 1024 * 1024,
};

export type KeptLimits = typeof KEPT_LIMITS;

/** A limit was reached. `code` is the broker's error code. */
export class NotKept extends Error {
  constructor(
    readonly code: 'too-large' | 'full' | 'invalid',
    message: string,
  ) {
    super(message);
  }
}

interface Kept {
  key: string;
  value: string;
}

export class KeptValues {
  /** Writers of one workbook wait for each other, so that the total stays within its limit. */
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(
    private readonly folder: string,
    private readonly limits: KeptLimits = KEPT_LIMITS,
  ) {}

  async get(hash: string, key: string): Promise<string | undefined> {
    return (await this.read(this.fileOf(hash, key)))?.value;
  }

  async keys(hash: string): Promise<string[]> {
    const kept = await Promise.all((await this.filesOf(hash)).map((file) => this.read(file)));
    return kept.flatMap((one) => (one ? [one.key] : [])).sort();
  }

  delete(hash: string, key: string): Promise<void> {
    const file = this.fileOf(hash, key);
    return this.inTurn(hash, () => rm(file, { force: true }));
  }

  set(hash: string, key: string, value: string): Promise<void> {
    const file = this.fileOf(hash, key);
    const bytes = Buffer.byteLength(value);
    if (bytes > this.limits.valueBytes)
      throw new NotKept(
        'too-large',
        `a value can have at most ${this.limits.valueBytes} bytes; this one has ${bytes}`,
      );
    return this.inTurn(hash, async () => {
      const others = (await this.filesOf(hash)).filter((name) => name !== file);
      if (others.length >= this.limits.keys)
        throw new NotKept('full', `a workbook can keep at most ${this.limits.keys} values`);
      const sizes = await Promise.all(
        others.map((name) =>
          stat(name).then(
            ({ size }) => size,
            () => 0,
          ),
        ),
      );
      if (sizes.reduce((sum, size) => sum + size, bytes) > this.limits.bytes)
        throw new NotKept('full', `a workbook can keep at most ${this.limits.bytes} bytes`);
      await mkdir(this.folderOf(hash), { recursive: true, mode: 0o700 });
      await writeWhole(file, JSON.stringify({ key, value } satisfies Kept));
    });
  }

  private inTurn<T>(hash: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.turns.get(hash) ?? Promise.resolve()).then(act, act);
    this.turns.set(hash, turn);
    const leave = () => {
      if (this.turns.get(hash) === turn) this.turns.delete(hash);
    };
    turn.then(leave, leave);
    return turn;
  }

  private folderOf(hash: string): string {
    return join(this.folder, hash, 'values');
  }

  /** Keys are any text, even with lone surrogates, so files are named by the hash of the key's JSON. */
  private fileOf(hash: string, key: string): string {
    if (key.length > this.limits.keyLength)
      throw new NotKept('invalid', `a key can have at most ${this.limits.keyLength} characters`);
    return join(
      this.folderOf(hash),
      `${createHash('sha256').update(JSON.stringify(key)).digest('hex')}.json`,
    );
  }

  private async filesOf(hash: string): Promise<string[]> {
    const names = await readdir(this.folderOf(hash)).catch(() => []);
    return names
      .filter((name) => /^[0-9a-f]{64}\.json$/.test(name))
      .map((name) => join(this.folderOf(hash), name));
  }

  private async read(file: string): Promise<Kept | undefined> {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      const { key, value } = JSON.parse(text) as Kept;
      return typeof key === 'string' && typeof value === 'string' ? { key, value } : undefined;
    } catch {
      return undefined;
    }
  }
}
