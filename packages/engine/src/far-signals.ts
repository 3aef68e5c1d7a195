/**
 * What servers tell each other so that a waiter on one of them does not depend on polling. A server on which somebody
 * waits for something tells the others, and renews that wish every few seconds; they say when it happens. A server that
 * joins is told at once.
 *
 * Messages may be lost, and servers come and go, so a waiter still checks the store now and then.
 *
 * Invariants: at most one message about a thing is in transit to a server; a server that does not renew its wish is
 * forgotten.
 */
import type { JsonObject } from '@woof/net';
import type { SharedStore } from '@woof/stores';

/** A server renews its wish more than twice in this time. */
const WISH_MS = 10_000;
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

interface Wish {
  /** Forgets the wish when it fires. */
  timer: NodeJS.Timeout;
  isSaying: boolean;
  /** How often it happened since the message in transit. */
  unsaid: number;
}

export class FarSignals {
  /** What other servers want to hear about: by key, by server. */
  private readonly wishes = new Map<string, Map<string, Wish>>();
  /** What others were asked for recently. */
  private readonly asked = new Map<string, NodeJS.Timeout>();
  private unlisten: (() => Promise<void>) | undefined;

  constructor(private readonly options: FarSignalsOptions) {}

  async start(): Promise<void> {
    const { store, serverId } = this.options;
    this.unlisten = await store.listen(serverId, (message) => this.hear(message));
  }

  async stop(): Promise<void> {
    for (const servers of this.wishes.values()) for (const { timer } of servers.values()) clearTimeout(timer);
    for (const timer of this.asked.values()) clearTimeout(timer);
    this.wishes.clear();
    this.asked.clear();
    await this.unlisten?.().catch(this.options.onFault);
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
    for (const [server, wish] of this.wishes.get(key) ?? []) this.sayTo(server, key, wish);
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
    else if (typeof wanted === 'string' && typeof server === 'string') this.note(wanted, server);
    else if (typeof said === 'string') this.options.onSaid(said, Number(times));
  }

  private note(key: string, server: string): void {
    const servers = this.wishes.get(key) ?? new Map<string, Wish>();
    this.wishes.set(key, servers);
    const timer = setTimeout(() => this.forget(key, server), WISH_MS);
    const known = servers.get(server);
    if (known !== undefined) {
      clearTimeout(known.timer);
      known.timer = timer;
      return;
    }
    const wish: Wish = { timer, isSaying: false, unsaid: 0 };
    servers.set(server, wish);
    // It may have happened before the wish arrived.
    this.sayTo(server, key, wish);
  }

  private forget(key: string, server: string): void {
    const servers = this.wishes.get(key);
    servers?.delete(server);
    if (servers?.size === 0) this.wishes.delete(key);
  }

  private sayTo(server: string, key: string, wish: Wish): void {
    wish.unsaid += 1;
    if (!wish.isSaying) this.sayAll(server, key, wish).catch(this.options.onFault);
  }

  private async sayAll(server: string, key: string, wish: Wish): Promise<void> {
    const { store, topic } = this.options;
    wish.isSaying = true;
    try {
      while (wish.unsaid > 0) {
        const times = wish.unsaid;
        wish.unsaid = 0;
        await store.tell(server, { topic, said: key, times });
      }
    } finally {
      wish.isSaying = false;
    }
  }
}
