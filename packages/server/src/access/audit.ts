/** Who changed what, when and from where. Keys sort newest first. */
import { randomBytes } from 'node:crypto';
import type { Records } from '@woof/stores';

export const AUDIT = 'audit';
/** Beyond every time that is yet to come. */
const FAR = 9_999_999_999_999;

export interface AuditEntry {
  at: number;
  /** The token's id and name. */
  who: string;
  role: string;
  /** The call. */
  what: string;
  /** The caller's address. */
  from: string;
  /** What it was answered. */
  status: number;
  /** What it was about. */
  target?: string;
}

export class Audit {
  constructor(private readonly records: Records) {}

  async write(entry: AuditEntry): Promise<void> {
    const key = `${auditKeyAt(entry.at)}-${randomBytes(4).toString('hex')}`;
    await this.records.put(AUDIT, key, { ...entry });
  }

  async list(page: { before?: string | undefined; limit?: number | undefined }) {
    const { before, limit = 100 } = page;
    const found = await this.records.list(AUDIT, { ...(before ? { after: before } : {}), limit });
    const entries = found.map(({ key, value }) => ({ id: key, ...(value as unknown as AuditEntry) }));
    return { entries, ...(found.length === limit ? { next: found.at(-1)!.key } : {}) };
  }
}

/** Entries of an earlier time have keys after this. */
export function auditKeyAt(time: number): string {
  return String(FAR - time).padStart(13, '0');
}
