/**
 * Who changed what, when and from where. Keys sort newest first.
 *
 * Entries that come while others are written go into the next commit together: a commit each would take a third of the
 * time of a server that only takes submissions.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { NewRecord, Records } from '@woof/stores';

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
  private waiting: NewRecord[] = [];
  private written: Promise<void> = Promise.resolve();

  constructor(private readonly records: Records) {}

  /** Durable when it resolves. */
  write(entry: AuditEntry): Promise<void> {
    const key = `${auditKeyAt(entry.at)}-${randomUUID().slice(0, 8)}`;
    this.waiting.push({ key, value: { ...entry } });
    if (this.waiting.length === 1) this.written = this.written.catch(() => {}).then(() => this.flush());
    return this.written;
  }

  /** Resolves when every entry so far is written, or could not be. */
  async idle(): Promise<void> {
    await this.written.catch(() => {});
  }

  private async flush(): Promise<void> {
    // Calls that a commit of the engine answers end together.
    await setImmediate();
    const entries = this.waiting;
    this.waiting = [];
    await this.records.add(AUDIT, entries);
  }

  /** With every entry that was made here before. */
  async list(page: { before?: string | undefined; limit?: number | undefined }) {
    await this.idle();
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
