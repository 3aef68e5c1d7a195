/**
 * Who changed what, when and from where. Keys sort newest first.
 *
 * Entries that arrive while others are being written share the next commit. One commit per entry would take a third of the
 * time of a server that only accepts submissions.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { NewRecord, Records } from '@woof/stores';

export const AUDIT = 'audit';
/** Later than every time to come. */
const FAR = 9_999_999_999_999;

export interface AuditEntry {
  at: number;
  /** The token's id and name. */
  who: string;
  role: string;
  /** The name of the call. */
  what: string;
  /** The caller's address. */
  from: string;
  /** The status of the answer. */
  status: number;
  /** What the call was about. */
  target?: string;
}

export class Audit {
  private waiting: NewRecord[] = [];
  private written: Promise<void> = Promise.resolve();

  constructor(private readonly records: Records) {}

  /** Resolves when the entry is durable. */
  write(entry: AuditEntry): Promise<void> {
    const key = `${auditKeyAt(entry.at)}-${randomUUID().slice(0, 8)}`;
    this.waiting.push({ key, value: { ...entry } });
    if (this.waiting.length === 1) this.written = this.written.catch(() => {}).then(() => this.flush());
    return this.written;
  }

  /** Resolves when every entry so far is written or has failed. */
  async idle(): Promise<void> {
    await this.written.catch(() => {});
  }

  private async flush(): Promise<void> {
    // Calls that one commit of the engine answers end in the same tick.
    await setImmediate();
    const entries = this.waiting;
    this.waiting = [];
    await this.records.add(AUDIT, entries);
  }

  /** Includes every entry that was made here before. */
  async list(page: { before?: string | undefined; limit?: number | undefined }) {
    await this.idle();
    const { before, limit = 100 } = page;
    const found = await this.records.list(AUDIT, { ...(before ? { after: before } : {}), limit });
    const entries = found.map(({ key, value }) => ({ id: key, ...(value as unknown as AuditEntry) }));
    return { entries, ...(found.length === limit ? { next: found.at(-1)!.key } : {}) };
  }
}

/** Entries of an earlier time have keys greater than this. */
export function auditKeyAt(time: number): string {
  return String(FAR - time).padStart(13, '0');
}
