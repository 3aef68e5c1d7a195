/**
 * What other servers want to be told of, by key and server.
 *
 * Owns: who wants what, for how long, and how often each is told. Does not own: what a key names, what a message says.
 * Invariants: at most one message about a key is in transit to a server; a server that does not renew its wish is
 * forgotten.
 */

/** A server renews its wish more than twice in this time. */
const WISH_MS = 10_000;

interface Wish {
  /** Forgets the wish when it fires. */
  timer: NodeJS.Timeout;
  isSaying: boolean;
  /** How often it happened since the message in transit. */
  unsaid: number;
}

export interface WishesOptions {
  /** `times`: how often it happened since the last message. */
  tell: (server: string, key: string, times: number) => Promise<void>;
  /** The time between two messages about a key to a server. */
  gapMs?: number;
  onFault: (error: unknown) => void;
}

export class Wishes {
  private readonly byKey = new Map<string, Map<string, Wish>>();

  constructor(private readonly options: WishesOptions) {}

  /** A server wants to be told. If that is new, it is told at once: it may have happened before the wish arrived. */
  note(key: string, server: string): void {
    const servers = this.byKey.get(key) ?? new Map<string, Wish>();
    this.byKey.set(key, servers);
    const timer = setTimeout(() => this.forget(key, server), WISH_MS).unref();
    const known = servers.get(server);
    if (known !== undefined) {
      clearTimeout(known.timer);
      known.timer = timer;
      return;
    }
    const wish: Wish = { timer, isSaying: false, unsaid: 0 };
    servers.set(server, wish);
    this.sayTo(server, key, wish);
  }

  /** It happened here. */
  say(key: string): void {
    for (const [server, wish] of this.byKey.get(key) ?? []) this.sayTo(server, key, wish);
  }

  /** The servers that want to be told of it. */
  of(key: string): string[] {
    return [...(this.byKey.get(key)?.keys() ?? [])];
  }

  clear(): void {
    for (const servers of this.byKey.values()) for (const { timer } of servers.values()) clearTimeout(timer);
    this.byKey.clear();
  }

  private forget(key: string, server: string): void {
    const servers = this.byKey.get(key);
    servers?.delete(server);
    if (servers?.size === 0) this.byKey.delete(key);
  }

  private sayTo(server: string, key: string, wish: Wish): void {
    wish.unsaid += 1;
    if (!wish.isSaying) void this.sayAll(server, key, wish);
  }

  private async sayAll(server: string, key: string, wish: Wish): Promise<void> {
    const { tell, gapMs = 0, onFault } = this.options;
    wish.isSaying = true;
    while (wish.unsaid > 0 && this.byKey.get(key)?.get(server) === wish) {
      const times = wish.unsaid;
      wish.unsaid = 0;
      await tell(server, key, times).catch(onFault);
      if (gapMs > 0) await new Promise((resolve) => setTimeout(resolve, gapMs).unref());
    }
    wish.isSaying = false;
  }
}
