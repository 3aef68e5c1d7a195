/**
 * What servers tell each other so that a waiter on one of them does not depend on polling. A server on which somebody
 * waits for something tells the others, and renews that wish every few seconds; they say when it happens. A server that
 * joins is told at once.
 *
 * Messages may be lost, and servers come and go, so a waiter still checks the store now and then.
 */
import type { JsonObject } from '@woof/net';
import type { SharedStore } from '@woof/stores';
import { Wishes } from './wishes.ts';

const RENEW_MS = 3000;
/** Messages have a maximum length. Nobody is told of a longer key. */
const LONGEST_KEY = 1000;

export interface FarSignalsOptions {
  store: Pick<SharedStore, 'members' | 'tell' | 'listen'>;
  serverId: string;
  /** What the keys name. */
  topic: string;
  /** It happened elsewhere, this many times. */
  onSaid: (key: string, times: number) => void;
  onFault: (error: unknown) => void;
}

export class FarSignals {
  private readonly wishes: Wishes;
  /** What others were asked for recently. */
  private readonly asked = new Map<string, NodeJS.Timeout>();
  private unlisten: (() => Promise<void>) | undefined;

  constructor(private readonly options: FarSignalsOptions) {
    const { store, topic, onFault } = options;
    const tell = (server: string, said: string, times: number) => store.tell(server, { topic, said, times });
    this.wishes = new Wishes({ tell, onFault });
  }

  async start(): Promise<void> {
    const { store, serverId } = this.options;
    this.unlisten = await store.listen(serverId, (message) => this.hear(message));
  }

  async stop(): Promise<void> {
    for (const timer of this.asked.values()) clearTimeout(timer);
    this.asked.clear();
    await this.unlisten?.().catch(this.options.onFault);
    this.wishes.clear();
  }

  /**
   * Call this once the server is a member. A server that asked for something earlier could not tell this one, nor this
   * one them.
   */
  async joined(): Promise<void> {
    const { topic, serverId, onFault } = this.options;
    try {
      await this.tellOthers({ topic, joined: serverId });
      for (const key of this.asked.keys()) await this.tellOthers(this.wishFor(key));
    } catch (error) {
      onFault(error);
    }
  }

  /** Somebody here waits for it. */
  ask(key: string): void {
    if (key.length > LONGEST_KEY || this.asked.has(key)) return;
    this.asked.set(
      key,
      setTimeout(() => this.asked.delete(key), RENEW_MS),
    );
    this.tellOthers(this.wishFor(key)).catch(this.options.onFault);
  }

  /** It happened here. */
  say(key: string): void {
    this.wishes.say(key);
  }

  private async tellOthers(message: JsonObject): Promise<void> {
    const { store, serverId } = this.options;
    for (const { id, alive } of await store.members('server'))
      if (alive && id !== serverId) await store.tell(id, message);
  }

  private async tellWishes(server: string): Promise<void> {
    for (const key of this.asked.keys()) await this.options.store.tell(server, this.wishFor(key));
  }

  private wishFor(key: string): JsonObject {
    return { topic: this.options.topic, wanted: key, server: this.options.serverId };
  }

  private hear({ topic, wanted, server, said, times, joined }: JsonObject): void {
    if (topic !== this.options.topic) return;
    if (typeof joined === 'string') this.tellWishes(joined).catch(this.options.onFault);
    else if (typeof wanted === 'string' && typeof server === 'string') this.wishes.note(wanted, server);
    else if (typeof said === 'string') this.options.onSaid(said, Number(times));
  }
}
