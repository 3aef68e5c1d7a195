/**
 * What a person granted, by content: one file per workbook in a folder of the data directory. If one byte of a workbook
 * changes, it is a different workbook without grants.
 *
 * Each file is sealed with a key that is stored elsewhere (the caller says where). A folder that somebody sent may
 * contain its own `.woof/`; grants in it are not from this person and are ignored.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PERMISSIONS, type Permission } from '@woof/documents/workbook';
import { writeWhole } from './write-whole.ts';

export interface Grant {
  /** SHA-256 of the workbook. */
  hash: string;
  title: string;
  /** The subset of the requested permissions that was granted. */
  permissions: Permission[];
  granted_at: number;
}

const HASH = /^[0-9a-f]{64}$/;
const FILE = 'grant.json';

export class Grants {
  constructor(
    /** `workbooks/` of the data directory. */
    private readonly folder: string,
    private readonly key: () => Buffer,
  ) {}

  async find(hash: string): Promise<Grant | undefined> {
    if (!HASH.test(hash)) return undefined;
    const text = await readFile(join(this.folder, hash, FILE), 'utf8').catch(() => undefined);
    const grant = text === undefined ? undefined : this.unseal(text);
    return grant?.hash === hash ? grant : undefined;
  }

  async put(grant: Grant): Promise<void> {
    await mkdir(join(this.folder, grant.hash), { recursive: true, mode: 0o700 });
    await writeWhole(join(this.folder, grant.hash, FILE), this.seal(grant));
  }

  async list(): Promise<Grant[]> {
    const names = await readdir(this.folder).catch(() => []);
    const found = await Promise.all(names.map((name) => this.find(name)));
    return found.filter((grant) => grant !== undefined).sort((a, b) => b.granted_at - a.granted_at);
  }

  /** Returns whether there was a grant. */
  async revoke(hash: string): Promise<boolean> {
    const had = (await this.find(hash)) !== undefined;
    if (had) await rm(join(this.folder, hash, FILE), { force: true });
    return had;
  }

  private seal(grant: Grant): string {
    return `${JSON.stringify({ grant, seal: this.mark(grant).toString('hex') })}\n`;
  }

  private unseal(text: string): Grant | undefined {
    try {
      const { grant, seal } = JSON.parse(text) as { grant: Grant; seal: string };
      const [ours, theirs] = [this.mark(grant), Buffer.from(seal, 'hex')];
      if (ours.length !== theirs.length || !timingSafeEqual(ours, theirs)) return undefined;
      return { ...grant, permissions: PERMISSIONS.filter((one) => grant.permissions.includes(one)) };
    } catch {
      return undefined;
    }
  }

  private mark({ hash, title, permissions, granted_at }: Grant): Buffer {
    const text = JSON.stringify([hash, title, permissions, granted_at]);
    return createHmac('sha256', this.key()).update(text).digest();
  }
}
