/**
 * One connection to a Postgres server, used by one task at a time.
 *
 * Owns: the socket, so that a server that no longer answers can be left at once; the statements of a task on one and the
 * same connection: where it breaks, the next statement fails instead of running on a new one, outside the transaction.
 * Does not own: what an error means.
 */
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Json } from '@woof/net';
import postgres from 'postgres';
import type { PostgresAddress } from './postgres-address.ts';
import { valueTypes } from './postgres-values.ts';
import { secureSocket } from './secure-socket.ts';
import { bare } from './split-sql.ts';

const CONNECT_SECONDS = 10;
const CANCEL_MS = 2_000;

/** Statements that the server ends with a number of rows: without it, the client gives none by batches. */
const COUNTED = /^(select|with|values|table|insert|update|delete|merge|fetch|execute|\()/i;

export interface Batch {
  rows: Json[][];
  columns: string[];
  /** How many rows the server says the statement touched; of a batch that has rows, its own. */
  count: number;
}

interface Running {
  state?: { pid: number } | null;
  statement?: { columns?: { name: string }[] | null } | null;
}

type Client = ReturnType<typeof postgres>;

export class PostgresSession {
  private readonly client: Client;
  private readonly sockets = new Set<Socket>();
  private running: Running | undefined;
  /** It had a connection, and lost it. */
  private isLost = false;
  private hasConnected = false;

  constructor(private readonly address: PostgresAddress) {
    this.client = postgres({
      host: address.host,
      port: address.port,
      user: address.user,
      pass: address.password,
      database: address.database,
      // The socket that it is given is encrypted already where it should be.
      ssl: false,
      max: 1,
      fetch_types: false,
      prepare: false,
      idle_timeout: 60,
      max_lifetime: null,
      connect_timeout: CONNECT_SECONDS,
      backoff: () => 0,
      keep_alive: 30,
      onnotice: () => {},
      onclose: () => {
        this.isLost = true;
      },
      types: valueTypes() as unknown as Record<string, postgres.PostgresType>,
      connection: { application_name: 'woof', datestyle: 'ISO', intervalstyle: 'postgres' },
      socket: () => this.connect(),
    } as postgres.Options<Record<string, postgres.PostgresType>>);
  }

  /** To be called before the first statement of a task: what was lost before does not matter. */
  begin(): void {
    this.isLost = false;
    this.hasConnected = false;
  }

  /** Rows come in batches, and no more than one of them is held. */
  async *query(text: string, params: Json[], batchRows: number): AsyncGenerator<Batch> {
    this.check();
    const bound = params.map((value) => (value === null ? null : this.client.typed(value as never, 0)));
    const query = this.client.unsafe(text, bound as never[], { prepare: false, simple: false } as object);
    this.running = query as Running;
    const batchOf = (rows: unknown): Batch => ({
      rows: rows as Json[][],
      columns: columnsOf(this.running),
      count: (rows as { count: number | null }).count ?? 0,
    });
    if (!COUNTED.test(bare(text))) {
      yield batchOf(await query.values());
      return;
    }
    let any = false;
    for await (const rows of query.values().cursor(batchRows)) {
      any = true;
      yield batchOf(rows);
    }
    if (!any) yield batchOf([]);
  }

  /** Of the statement that ran last; the type by its number. */
  columns(): { name: string; type: number }[] {
    return (this.running?.statement?.columns ?? []) as { name: string; type: number }[];
  }

  /** A statement of ours, of which only the effect counts. */
  async command(text: string): Promise<void> {
    this.check();
    const query = this.client.unsafe(text);
    this.running = query as Running;
    await query;
  }

  /** Gives how many rows the server took. */
  async copyIn(text: string, source: AsyncIterable<Uint8Array>): Promise<number> {
    this.check();
    const query = this.client.unsafe(text);
    this.running = query as Running;
    const ended = endOf(query);
    ended.catch(() => {});
    const target = await query.writable();
    const sent = pipeline(source, target);
    // Where the server refuses the data, the client leaves the stream as it is.
    sent.catch(() => {});
    ended.catch((error: Error) => target.destroy(error));
    await Promise.race([sent, ended]);
    return ended;
  }

  /** Gives how many rows the server sent. */
  async copyOut(text: string, take: (source: Readable) => Promise<void>): Promise<number> {
    this.check();
    const query = this.client.unsafe(text);
    this.running = query as Running;
    const ended = endOf(query);
    ended.catch(() => {});
    const source = await query.readable();
    ended.catch((error: Error) => source.destroy(error));
    await take(source);
    return ended;
  }

  /** Ends what the server does for this session, then the session. */
  async abandon(): Promise<void> {
    const pid = this.running?.state?.pid;
    if (pid !== undefined && pid !== null) await cancelBackend(this.address, pid);
    this.destroy();
  }

  /** Soon, whatever the server does. */
  destroy(): void {
    this.isLost = true;
    void this.close(0);
  }

  end(): Promise<void> {
    return this.close(1);
  }

  /** The client says good-bye first; what it still writes when the socket goes, the listeners of `keep` hear of. */
  private async close(seconds: number): Promise<void> {
    await this.client.end({ timeout: seconds }).catch(() => {});
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  private check(): void {
    if (this.isLost) throw lost();
  }

  /** Once a task: the client would try for ever where a server hangs up before it says a word. */
  private async connect(): Promise<Socket> {
    if (this.hasConnected) throw lost();
    this.hasConnected = true;
    const { host, port } = this.address;
    const socket = host.startsWith('/')
      ? createConnection(join(host, `.s.PGSQL.${port}`))
      : createConnection({ host, port });
    this.keep(socket);
    const late = setTimeout(() => {
      socket.destroy(Object.assign(new Error('no connection in time'), { code: 'CONNECT_TIMEOUT' }));
    }, CONNECT_SECONDS * 1000);
    try {
      await connected(socket);
      const secure = await secureSocket(socket, this.address);
      if (secure !== socket) this.keep(secure);
      return secure;
    } catch (error) {
      socket.destroy();
      throw socket.errored ?? error;
    } finally {
      clearTimeout(late);
    }
  }

  /** Until it has closed, an error of it has somebody who hears it, whatever the client does. */
  private keep(socket: Socket): void {
    socket.on('error', () => {});
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve();
    });
  });
}

interface Settled {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The client settles a copy with its stream, and then once more at its end, when nobody listens any longer. */
function endOf(query: unknown): Promise<number> {
  const settled = query as Settled;
  const { resolve: open, reject: refuse } = settled;
  return new Promise((resolve, reject) => {
    let isOpen = false;
    settled.resolve = (value) => {
      if (isOpen) return resolve((value as { count: number }).count);
      isOpen = true;
      // It may fail before anybody has it; whoever waits for the end learns of it.
      (value as Readable).on('error', () => {});
      open(value);
    };
    settled.reject = (error) => {
      refuse(error);
      reject(error);
    };
  });
}

function lost(): Error {
  return Object.assign(new Error('the server closed the connection'), { code: 'CONNECTION_CLOSED' });
}

function columnsOf(running: Running | undefined): string[] {
  return running?.statement?.columns?.map(({ name }) => name) ?? [];
}

/** Over a connection of its own; what takes too long is left to the server's notice that its client is gone. */
async function cancelBackend(address: PostgresAddress, pid: number): Promise<void> {
  const other = new PostgresSession(address);
  const late = setTimeout(() => other.destroy(), CANCEL_MS);
  try {
    for await (const _ of other.query('SELECT pg_cancel_backend($1)', [pid], 1));
  } catch {
    // Best effort: the session ends anyway.
  } finally {
    clearTimeout(late);
    other.destroy();
  }
}
