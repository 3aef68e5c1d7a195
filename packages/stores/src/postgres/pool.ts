/**
 * Connections to one Postgres database.
 * Owns: how long anything may take, what an error means, connections that no longer answer. Does not own: any table.
 *
 * Nothing hangs: the server ends statements that take too long. A connection that is silent even then is discarded with
 * all others, because a network that lost the packets of one connection has lost them all. The same happens if a
 * connection is lost during a query: the client does not forget that query, so it would take the refusal of a server
 * that is starting for its answer, and connect again at once, a thousand times per second. Later queries get new
 * connections.
 */
import postgres from 'postgres';
import { explained, isConflict, isLost } from './postgres-fault.ts';

export interface PoolOptions {
  /** The maximum number of connections. */
  connections?: number;
  /** How long a statement may take. */
  statementMs?: number;
  /** How long to wait for a connection. */
  connectMs?: number;
  /** How much longer than the server's own timeout to wait for an answer, so that its error comes first. */
  graceMs?: number;
}

export type Value = string | number | null | Uint8Array;
type Client = ReturnType<typeof postgres>;

const ATTEMPTS = 6;
const CLOSE_MS = 5_000;

export class Pool {
  readonly place: string;
  private client: Client;
  private readonly pending = new Set<PromiseLike<unknown>>();
  private isClosed = false;

  constructor(
    private readonly url: string,
    readonly options: PoolOptions = {},
  ) {
    this.client = this.connect();
    const { host, port, database } = this.client.options;
    this.place = `${host[0]}:${port[0]}/${database}`;
  }

  /** One statement. Rows as objects; int8 as numbers. */
  async query<T>(text: string, values: readonly Value[] = []): Promise<T[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.ask<T>(text, values);
      } catch (error) {
        if (!isConflict(error) || attempt === ATTEMPTS) throw explained(error, this.place);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * attempt));
      }
    }
  }

  /** A separate client with one connection, for work that must not be ended for taking long, or must not share. */
  dedicated(options: postgres.Options<Record<string, postgres.PostgresType>> = {}): Client {
    return postgres(this.url, {
      ...this.settings(),
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      ...options,
    });
  }

  /** Waits for queries in progress. The client's own method would also wait for connections that it has lost. */
  async close(): Promise<void> {
    this.isClosed = true;
    const late = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref());
    await Promise.race([Promise.allSettled(this.pending), late]);
    await this.client.end({ timeout: 0 });
  }

  private ask<T>(text: string, values: readonly Value[]): Promise<T[]> {
    return this.inTime(this.client.unsafe(text, [...values], { prepare: true })) as unknown as Promise<T[]>;
  }

  private async inTime<T>(query: PromiseLike<T>): Promise<T> {
    const { client } = this;
    this.pending.add(query);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const giveUp = () => {
        this.renew(client);
        reject(Object.assign(new Error('no answer'), { code: 'DEADLINE' }));
      };
      timer = setTimeout(giveUp, this.statementMs + (this.options.graceMs ?? 5_000));
    });
    try {
      return await Promise.race([query, late]);
    } catch (error) {
      if (isLost(error)) this.renew(client);
      throw error;
    } finally {
      this.pending.delete(query);
      clearTimeout(timer);
    }
  }

  private renew(former: Client): void {
    if (this.client !== former || this.isClosed) return;
    this.client = this.connect();
    former.end({ timeout: 0 }).catch(() => {});
  }

  private get statementMs(): number {
    return this.options.statementMs ?? 30_000;
  }

  private connect(): Client {
    return postgres(this.url, { ...this.settings(), max: this.options.connections ?? 8 });
  }

  private settings(): postgres.Options<Record<string, postgres.PostgresType>> {
    return {
      connect_timeout: Math.ceil((this.options.connectMs ?? 10_000) / 1000),
      // Soon, because whoever waits for a restarting database polls anyway.
      backoff: () => 0.25,
      idle_timeout: 300,
      keep_alive: 30,
      fetch_types: false,
      onnotice: () => {},
      types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
      connection: {
        application_name: 'woof',
        synchronous_commit: 'on',
        // There are few statements, and planning an append again costs more than executing it.
        plan_cache_mode: 'force_generic_plan',
        statement_timeout: this.statementMs,
        idle_in_transaction_session_timeout: this.statementMs,
      },
    };
  }
}

/** A Postgres array as text. */
export function arrayOf(values: readonly (string | number | null)[]): string {
  return `{${values.map(element).join(',')}}`;
}

function element(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? 'NULL' : String(value);
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
