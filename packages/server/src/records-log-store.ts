/** What tasks write, in the store that all servers share: a record a batch, in the order in which they came. */
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@woof/net';
import type { WireLogLine } from '@woof/protocol';
import type { Records } from '@woof/stores';
import { KeptText } from './kept-text.ts';
import type { LogEntry, LogPage, LogStore } from './log-store.ts';

export const LOGS = 'logs';
const RECORDS_AT_ONCE = 20;

export class RecordsLogStore implements LogStore {
  private readonly kept = new KeptText();
  private readonly mark = randomBytes(3).toString('hex');
  private count = 0;

  constructor(
    private readonly records: Records,
    private readonly now: () => number,
  ) {}

  async append(lines: readonly WireLogLine[]): Promise<void> {
    const batches = new Map<string, LogEntry[]>();
    for (const { execution_id, ...line } of lines) {
      const text = this.kept.take(`${execution_id}\n${line.task_run_id}`, line.text);
      if (text === '') continue;
      const batch = batches.get(execution_id) ?? [];
      batches.set(execution_id, [...batch, { ...line, text }]);
    }
    for (const [id, entries] of batches) {
      this.count += 1;
      const place = `${digits(this.now(), 13)}-${digits(this.count, 9)}-${this.mark}`;
      await this.records.put(LOGS, `${id}/${place}`, { lines: entries } as unknown as JsonObject);
    }
  }

  /** A place is `<record>#<lines of it that were read>`. */
  async read(executionId: string, from: string | undefined, limit: number): Promise<LogPage> {
    const prefix = `${executionId}/`;
    let [record = '', read = '0'] = (from ?? '').split('#');
    const lines: LogEntry[] = [];
    if (record !== '') {
      const partly = linesOf((await this.records.get(LOGS, prefix + record))?.value);
      const fresh = partly.slice(Number(read), Number(read) + limit);
      lines.push(...fresh);
      read = String(Number(read) + fresh.length);
    }
    while (lines.length < limit) {
      const page = { prefix, ...(record === '' ? {} : { after: prefix + record }), limit: RECORDS_AT_ONCE };
      const found = await this.records.list(LOGS, page);
      for (const { key, value } of found) {
        if (lines.length >= limit) break;
        const fresh = linesOf(value).slice(0, limit - lines.length);
        lines.push(...fresh);
        [record, read] = [key.slice(prefix.length), String(fresh.length)];
      }
      if (found.length < RECORDS_AT_ONCE) break;
    }
    return { lines, next: record === '' ? '' : `${record}#${read}` };
  }
}

function linesOf(value: JsonObject | undefined): LogEntry[] {
  return (value?.lines ?? []) as unknown as LogEntry[];
}

const digits = (value: number, length: number) => String(value).padStart(length, '0');

/** When the record of that key was written. */
export function logTimeOf(key: string): number {
  return Number(key.slice(key.lastIndexOf('/') + 1).split('-')[0]);
}
