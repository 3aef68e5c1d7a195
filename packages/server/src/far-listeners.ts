/**
 * Listeners at one server to executions that another server drives. The server that has the listeners asks the driver to
 * say when there is more, and renews that every few seconds; the driver says `more`, and the other reads the store.
 *
 * Messages may be lost, and drivers change: the hub looks at the store now and then all the same.
 *
 * Invariants: no message is part of an append; at most one about an execution is under way to a server; a server that does
 * not renew its wish is forgotten.
 */
import type { JsonObject } from '@woof/net';
import type { SharedStore } from '@woof/stores';

/** A server renews its wish more than twice in this time. */
const WISH_MS = 10_000;
/** Postgres lets one notification commit at a time, so an execution in full flow says `more` only this often. */
const GAP_MS = 50;

export interface FarOptions {
  store: Pick<SharedStore, 'execution' | 'tell' | 'listen'>;
  serverId: string;
  /** There is more of an execution that this server asked about. */
  onMore: (executionId: string) => void;
  /** Another server drives it now; whether anybody listens to it here. */
  onTaken: (executionId: string) => boolean;
  onFault: (error: unknown) => void;
}

interface Wish {
  /** Forgets it. */
  timer: NodeJS.Timeout;
  /** A message is under way; true: and there is more since. */
  saying: boolean | undefined;
}

export class FarListeners {
  /** What other servers want to hear of: by execution, by server. */
  private readonly wishes = new Map<string, Map<string, Wish>>();
  private unlisten: (() => Promise<void>) | undefined;

  constructor(private readonly options: FarOptions) {}

  async start(): Promise<void> {
    const { store, serverId } = this.options;
    this.unlisten = await store.listen(serverId, (message) => this.hear(message));
  }

  async stop(): Promise<void> {
    for (const servers of this.wishes.values()) for (const { timer } of servers.values()) clearTimeout(timer);
    this.wishes.clear();
    await this.unlisten?.().catch(this.options.onFault);
  }

  /** Asks whoever drives the execution to say when there is more. */
  ask(executionId: string): void {
    this.askDriver(executionId).catch(this.options.onFault);
  }

  /** There are durable events of an execution that is driven here. */
  publish(executionId: string): void {
    for (const [server, wish] of this.wishes.get(executionId) ?? []) this.sayMore(executionId, server, wish);
  }

  private async askDriver(executionId: string): Promise<void> {
    const { store, serverId } = this.options;
    const driver = (await store.execution(executionId))?.driver;
    if (driver != null && driver !== serverId) await this.tellWish(driver, executionId, serverId);
  }

  private tellWish(driver: string, executionId: string, server: string): Promise<void> {
    return this.options.store.tell(driver, { listens: executionId, server });
  }

  private hear({ listens, server, more, taken, by }: JsonObject): void {
    if (typeof listens === 'string' && typeof server === 'string') this.note(listens, server);
    else if (typeof more === 'string') this.options.onMore(more);
    else if (typeof taken === 'string' && typeof by === 'string') this.passOn(taken, by);
  }

  private note(executionId: string, server: string): void {
    const servers = this.wishes.get(executionId) ?? new Map<string, Wish>();
    this.wishes.set(executionId, servers);
    const known = servers.get(server);
    if (known !== undefined) return void known.timer.refresh();
    const timer = setTimeout(() => this.forget(executionId, server), WISH_MS).unref();
    const wish: Wish = { timer, saying: undefined };
    servers.set(server, wish);
    // What was published before the wish came.
    this.sayMore(executionId, server, wish);
  }

  private forget(executionId: string, server: string): void {
    const servers = this.wishes.get(executionId);
    servers?.delete(server);
    if (servers?.size === 0) this.wishes.delete(executionId);
  }

  /** Whoever listens goes on at the server that drives it now. */
  private passOn(executionId: string, driver: string): void {
    const { onTaken, serverId, onFault } = this.options;
    const servers = [...(this.wishes.get(executionId)?.keys() ?? [])];
    if (onTaken(executionId)) servers.push(serverId);
    for (const server of servers)
      if (server !== driver) this.tellWish(driver, executionId, server).catch(onFault);
  }

  private sayMore(executionId: string, server: string, wish: Wish): void {
    if (wish.saying !== undefined) {
      wish.saying = true;
      return;
    }
    wish.saying = false;
    const isOver = () => {
      const again = wish.saying;
      wish.saying = undefined;
      if (again && this.wishes.get(executionId)?.get(server) === wish)
        this.sayMore(executionId, server, wish);
    };
    this.options.store
      .tell(server, { more: executionId })
      .catch(this.options.onFault)
      .finally(() => setTimeout(isOver, GAP_MS).unref());
  }
}
