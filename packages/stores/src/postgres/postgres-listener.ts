/**
 * Receives what other processes say, on its own connection, which it reopens when it is lost. What is said meanwhile is
 * missed, as the contract allows.
 *
 * Invariant: a notification is never part of an append, because Postgres lets only one transaction with a notification
 * commit at a time.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '@woof/net';
import { Listeners, messageText } from '../listeners.ts';
import type { Pool } from './pool.ts';
import { explained } from './postgres-fault.ts';

/** A connection may be dead without any sign. */
const CHECK_MS = 15_000;
const AGAIN_MS = 250;

type Client = ReturnType<Pool['dedicated']>;

export class PostgresListener {
  private readonly listeners = new Listeners();
  /** How many listen to a channel, and under which id. */
  private readonly channels = new Map<string, { memberId: string; count: number }>();
  private client: Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly pool: Pool) {}

  async tell(memberId: string, message: JsonObject): Promise<void> {
    await this.pool.query('SELECT pg_notify($1, $2)', [channelOf(memberId), messageText(message)]);
  }

  async listen(memberId: string, hear: (message: JsonObject) => void): Promise<() => Promise<void>> {
    const channel = channelOf(memberId);
    const stop = this.listeners.add(memberId, hear);
    const entry = this.channels.get(channel) ?? { memberId, count: 0 };
    entry.count += 1;
    this.channels.set(channel, entry);
    try {
      await this.connected().unsafe(`LISTEN ${channel}`);
    } catch (error) {
      await stop();
      entry.count -= 1;
      throw explained(error, this.pool.place);
    }
    return async () => {
      await stop();
      entry.count -= 1;
      if (entry.count > 0) return;
      this.channels.delete(channel);
      // A lost connection listens to nothing.
      await this.client?.unsafe(`UNLISTEN ${channel}`).catch(() => {});
    };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.client?.end({ timeout: 0 });
  }

  private connected(): Client {
    if (this.client === undefined) {
      this.client = this.pool.dedicated({
        onnotify: (channel: string, payload: string) => this.hear(channel, payload),
        onclose: () => this.again(AGAIN_MS),
      } as Parameters<Pool['dedicated']>[0]);
      this.again(CHECK_MS);
    }
    return this.client;
  }

  private hear(channel: string, payload: string): void {
    const entry = this.channels.get(channel);
    if (entry) this.listeners.tell(entry.memberId, payload);
  }

  private again(ms: number): void {
    clearTimeout(this.timer);
    if (this.isClosed) return;
    this.timer = setTimeout(() => void this.check(), ms);
    this.timer.unref();
  }

  /** Listens to all its channels again; that has no effect on those that it already listens to. */
  private async check(): Promise<void> {
    const { client } = this;
    if (client === undefined || this.isClosed) return;
    const channels = [...this.channels].filter(([, { count }]) => count > 0).map(([channel]) => channel);
    const giveUp = setTimeout(() => this.replace(client), CHECK_MS);
    try {
      await client.unsafe(['SELECT 1', ...channels.map((channel) => `LISTEN ${channel}`)].join('; '));
      this.again(CHECK_MS);
    } catch {
      this.again(AGAIN_MS);
    } finally {
      clearTimeout(giveUp);
    }
  }

  private replace(silent: Client): void {
    this.client = undefined;
    silent.end({ timeout: 0 }).catch(() => {});
    if (this.isClosed) return;
    this.connected();
    this.again(0);
  }
}

/** Any id as a name that Postgres accepts. */
function channelOf(memberId: string): string {
  return `woof_${createHash('sha256').update(memberId).digest('hex').slice(0, 40)}`;
}
