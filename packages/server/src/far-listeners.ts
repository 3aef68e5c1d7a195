/**
 * Listeners at one server to executions that another server drives. The server with the listeners asks the driver to notify
 * it of more events, and renews that request every few seconds. The driver sends `more`, and the other reads the store.
 *
 * Messages may be lost and drivers may change, so the hub also reads the store from time to time.
 *
 * Invariants: no message is part of an append; at most one message about an execution is in flight to a server; a server
 * that does not renew its request is forgotten.
 */
import type { JsonObject } from '@woof/net';
import type { SharedStore } from '@woof/stores';

/** A server renews its request more than twice in this time. */
const WISH_MS = 10_000;
/** Postgres lets one notification commit at a time, so a busy execution sends `more` only this often. */
const GAP_MS = 50;

export interface FarOptions {
  store: Pick<SharedStore, 'execution' | 'tell' | 'listen'>;
  serverId: string;
  /** There are more events of an execution that this server asked about. */
  onMore: (executionId: string) => void;
  /** Another server drives it now. Returns whether anybody listens to it here. */
  onTaken: (executionId: string) => boolean;
  onFault: (error: unknown) => void;
}

interface Wish {
  /** Removes the request. */
  timer: NodeJS.Timeout;
  /** Defined while a message is in flight; true if there are more events since. */
  saying: boolean | undefined;
}

export class FarListeners {
  /** The requests of other servers: by execution, then by server. */
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

  /** Asks the driver of the execution to notify this server of more events. */
  ask(executionId: string): void {
    this.askDriver(executionId).catch(this.options.onFault);
  }

  /** An execution that is driven here has more durable events. */
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
    // For events that were published before the request arrived.
    this.sayMore(executionId, server, wish);
  }

  private forget(executionId: string, server: string): void {
    const servers = this.wishes.get(executionId);
    servers?.delete(server);
    if (servers?.size === 0) this.wishes.delete(executionId);
  }

  /** Moves the requests on to the server that drives it now. */
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
