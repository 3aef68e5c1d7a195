/**
 * Listeners at one server to executions that another server drives. The server with the listeners asks the driver to notify
 * it of more events, and renews that request every few seconds. The driver sends `more`, and the other reads the store.
 *
 * Messages may be lost and drivers may change, so the hub also reads the store from time to time.
 *
 * Invariant: no message is part of an append.
 */
import { Wishes } from '@woof/engine';
import type { JsonObject } from '@woof/net';
import type { SharedStore } from '@woof/stores';

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

export class FarListeners {
  /** The requests of other servers, by execution. */
  private readonly wishes: Wishes;
  private unlisten: (() => Promise<void>) | undefined;

  constructor(private readonly options: FarOptions) {
    const { store, onFault } = options;
    this.wishes = new Wishes({
      tell: (server, more) => store.tell(server, { more }),
      gapMs: GAP_MS,
      onFault,
    });
  }

  async start(): Promise<void> {
    const { store, serverId } = this.options;
    this.unlisten = await store.listen(serverId, (message) => this.hear(message));
  }

  async stop(): Promise<void> {
    await this.unlisten?.().catch(this.options.onFault);
    this.wishes.clear();
  }

  /** Asks the driver of the execution to notify this server of more events. */
  ask(executionId: string): void {
    this.askDriver(executionId).catch(this.options.onFault);
  }

  /** An execution that is driven here has more durable events. */
  publish(executionId: string): void {
    this.wishes.say(executionId);
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
    if (typeof listens === 'string' && typeof server === 'string') this.wishes.note(listens, server);
    else if (typeof more === 'string') this.options.onMore(more);
    else if (typeof taken === 'string' && typeof by === 'string') this.passOn(taken, by);
  }

  /** Moves the requests on to the server that drives it now. */
  private passOn(executionId: string, driver: string): void {
    const { onTaken, serverId, onFault } = this.options;
    const servers = this.wishes.of(executionId);
    if (onTaken(executionId)) servers.push(serverId);
    for (const server of servers)
      if (server !== driver) this.tellWish(driver, executionId, server).catch(onFault);
  }
}
