/**
 * What a person granted, by content: a file a workbook in a folder of the data directory. Another byte in the workbook
 * is another workbook, which was granted nothing.
 *
 * Each file is sealed with a key that lies elsewhere (the caller says where). A folder that somebody sent may hold a
 * `.woof/` of its own; grants that stand in it are not this person's, and count for nothing.
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
  /** Of those that it asks for, what it may. */
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

  /** Whether there was one. */
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
