/**
 * The workbooks that a server has in memory, by name. Limited in number and bytes: the least recently used one makes
 * room and can be opened again. They are read one after another, so that many concurrent calls hold one page in memory,
 * not many.
 */
import type { Opened } from './workbook-host.ts';

export interface OpenedLimits {
  count: number;
  /** Total bytes of the pages. A single page may be larger. */
  bytes: number;
}

export class OpenedWorkbooks {
  private readonly byName = new Map<string, Opened>();
  private bytes = 0;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly limits: OpenedLimits,
    /** Called with each workbook that leaves memory. */
    private readonly forget: (opened: Opened) => void,
  ) {}

  /** The workbook with this name. Reads it if it is not in memory; concurrent callers get the same one. */
  find(name: string, read: () => Promise<Opened | undefined>): Promise<Opened | undefined> {
    const known = this.byName.get(name);
    if (known) return Promise.resolve(this.used(name, known));
    const found = this.turn.then(async () => {
      const opened = this.byName.get(name) ?? (await read());
      return opened && this.used(name, opened);
    });
    this.turn = found.catch(() => {});
    return found;
  }

  private used(name: string, opened: Opened): Opened {
    if (!this.byName.delete(name)) this.bytes += opened.page.bytes;
    this.byName.set(name, opened);
    for (const [oldest, last] of this.byName) {
      if (last === opened || !this.isFull()) break;
      this.byName.delete(oldest);
      this.bytes -= last.page.bytes;
      this.forget(last);
    }
    return opened;
  }

  private isFull(): boolean {
    return this.byName.size > this.limits.count || this.bytes > this.limits.bytes;
  }
}
