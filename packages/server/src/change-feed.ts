/**
 * The rows of executions as they change, for all listeners of this server.
 *
 * The store reports what changed since a cursor, no matter who changed it: the engine of this process, another server,
 * or a local process in the same folder. The engine and the other servers signal when to ask. While somebody listens,
 * the store is also asked twice per second, because local processes send no signals.
 *
 * Invariants: the store is asked at most every 100 ms, once for all listeners. The history that is kept for
 * reconnecting listeners is bounded. A listener that missed a change is told to start again (`reset`).
 */
import { FarSignals } from '@woof/engine';
import { encodeJson } from '@woof/net';
import type { ExecutionRow, SharedStore } from '@woof/stores';

const GAP_MS = 100;
/** After a burst, listeners reload their lists. They do so no more often than this. */
const RESET_GAP_MS = 1000;
const ASK_EVERY_MS = 500;
/** Rows in one message. */
const MOST_ROWS = 500;
const KEPT_TEXTS = 256;
const KEPT_CHARACTERS = 4 * 1024 * 1024;
const KEY = 'rows';

export class ChangeFeed {
  private readonly listeners = new Set<() => void>();
  private readonly far: FarSignals;
  /** The texts after number `dropped`, in order. */
  private kept: string[] = [];
  private keptCharacters = 0;
  private dropped = 0;
  private cursor: string | undefined;
  /** The result of the last query: the store may return the same rows again. */
  private lastRows = new Map<string, string>();
  private poll: NodeJS.Timeout | undefined;
  private next: NodeJS.Timeout | undefined;
  private unsaid: NodeJS.Timeout | undefined;
  private notBefore = 0;
  private isLooking = false;

  constructor(
    private readonly store: SharedStore,
    private readonly serverId: string,
    private readonly onFault: (error: unknown) => void,
  ) {
    this.far = new FarSignals({ store, serverId, topic: 'changes', onSaid: () => this.soon(), onFault });
  }

  start(): Promise<void> {
    return this.far.start();
  }

  /** The server is now a member. */
  joined(): Promise<void> {
    return this.far.joined();
  }

  async stop(): Promise<void> {
    for (const timer of [this.poll, this.next, this.unsaid]) clearTimeout(timer);
    await this.far.stop();
  }

  /** The engine of this process made something durable. */
  changed(): void {
    this.soon();
    this.unsaid ??= setTimeout(() => {
      this.unsaid = undefined;
      this.far.say(KEY);
    }, GAP_MS / 2).unref();
  }

  /**
   * Calls `onMore` when there is more. Resolves with a function that stops this, once no later change can be missed.
   */
  async listen(onMore: () => void): Promise<() => void> {
    this.cursor ??= (await this.store.changes(undefined, 0)).cursor;
    this.listeners.add(onMore);
    this.poll ??= setInterval(() => this.ask(), ASK_EVERY_MS);
    this.ask();
    return () => {
      this.listeners.delete(onMore);
      if (this.listeners.size > 0) return;
      clearInterval(this.poll);
      this.poll = undefined;
    };
  }

  get size(): number {
    return this.listeners.size;
  }

  /** The number of the last text. */
  get last(): number {
    return this.dropped + this.kept.length;
  }

  /** The text after a number; undefined if there is none yet. */
  after(seen: number): string | 'missed' | undefined {
    if (seen >= this.last) return undefined;
    return seen < this.dropped ? 'missed' : this.kept[seen - this.dropped]!;
  }

  /** The id that a client sends to continue from here at this server. */
  idOf(seen: number): string {
    return `${this.serverId}.${seen}`;
  }

  /** Undefined if another server issued the id, or this one before a restart. */
  seenOf(id: string): number | undefined {
    const at = id.lastIndexOf('.');
    const seen = Number(id.slice(at + 1));
    const isOurs = id.slice(0, at) === this.serverId && Number.isInteger(seen);
    return isOurs && seen >= 0 && seen <= this.last ? seen : undefined;
  }

  private ask(): void {
    this.far.ask(KEY);
    this.soon();
  }

  private soon(): void {
    if (this.listeners.size === 0 || this.next !== undefined) return;
    const wait = Math.max(0, this.notBefore - performance.now());
    this.next = setTimeout(() => void this.look(), wait);
  }

  /** A signal that arrives while the store is being asked may be about a change that the answer does not contain. */
  private async look(): Promise<void> {
    this.next = undefined;
    if (this.isLooking) return this.soon();
    this.isLooking = true;
    this.notBefore = performance.now() + GAP_MS;
    try {
      await this.take();
    } catch (error) {
      this.onFault(error);
    } finally {
      this.isLooking = false;
    }
  }

  private async take(): Promise<void> {
    const { rows, cursor, isTooMany } = await this.store.changes(this.cursor, MOST_ROWS);
    this.cursor = cursor;
    if (isTooMany) this.notBefore = performance.now() + RESET_GAP_MS;
    const text = isTooMany ? RESET : this.rowsText(rows);
    if (text !== undefined) this.publish(text);
  }

  private rowsText(rows: readonly ExecutionRow[]): string | undefined {
    const texts = new Map(rows.map((row) => [row.execution_id, encodeJson(row)]));
    const news = [...texts].filter(([id, text]) => this.lastRows.get(id) !== text);
    this.lastRows = texts;
    if (news.length === 0) return undefined;
    return `event: rows\ndata: {"rows":[${news.map(([, text]) => text).join(',')}]}\n`;
  }

  private publish(event: string): void {
    const text = `id: ${this.idOf(this.last + 1)}\n${event}\n`;
    this.kept.push(text);
    this.keptCharacters += text.length;
    while (this.kept.length > KEPT_TEXTS || (this.keptCharacters > KEPT_CHARACTERS && this.kept.length > 1)) {
      this.keptCharacters -= this.kept.shift()!.length;
      this.dropped += 1;
    }
    for (const onMore of this.listeners) onMore();
  }
}

export const RESET = 'event: reset\ndata: {}\n';
