/**
 * One connection to a Postgres server, used by one task at a time.
 *
 * Owns: the socket, so that a server that no longer answers can be abandoned at once. Keeps all statements of a task on
 * one connection: if it breaks, the next statement fails instead of running on a new one, outside the transaction. Does
 * not own: the meaning of an error.
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

/** Statements that the server ends with a row count. Without one, the client cannot return batches. */
const COUNTED = /^(select|with|values|table|insert|update|delete|merge|fetch|execute|\()/i;

export interface Batch {
  rows: Json[][];
  columns: string[];
  /** The row count that the server reports for the statement; for a batch with rows, the batch's own. */
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
  /** It had a connection and lost it. */
  private isLost = false;
  private hasConnected = false;

  constructor(private readonly address: PostgresAddress) {
    this.client = postgres({
      host: address.host,
      port: address.port,
      user: address.user,
      pass: address.password,
      database: address.database,
      // The socket that it receives is already encrypted if necessary.
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

  /** Call this before the first statement of a task: an earlier loss does not matter. */
  begin(): void {
    this.isLost = false;
    this.hasConnected = false;
  }

  /** Yields rows in batches, and holds at most one of them. */
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

  /** The columns of the last statement, with the type's number. */
  columns(): { name: string; type: number }[] {
    return (this.running?.statement?.columns ?? []) as { name: string; type: number }[];
  }

  /** Runs a statement of our own, of which only the effect counts. */
  async command(text: string): Promise<void> {
    this.check();
    const query = this.client.unsafe(text);
    this.running = query as Running;
    await query;
  }

  /** Returns how many rows the server accepted. */
  async copyIn(text: string, source: AsyncIterable<Uint8Array>): Promise<number> {
    this.check();
    const query = this.client.unsafe(text);
    this.running = query as Running;
    const ended = endOf(query);
    ended.catch(() => {});
    const target = await query.writable();
    const sent = pipeline(source, target);
    // If the server refuses the data, the client does not close the stream.
    sent.catch(() => {});
    ended.catch((error: Error) => target.destroy(error));
    await Promise.race([sent, ended]);
    return ended;
  }

  /** Returns how many rows the server sent. */
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

  /** Ends the work that the server does for this session, then the session. */
  async abandon(): Promise<void> {
    const pid = this.running?.state?.pid;
    if (pid !== undefined && pid !== null) await cancelBackend(this.address, pid);
    this.destroy();
  }

  /** Closes it soon, whatever the server does. */
  destroy(): void {
    this.isLost = true;
    void this.close(0);
  }

  end(): Promise<void> {
    return this.close(1);
  }

  /** The client says good-bye first. If it still writes while the socket closes, `keep` listens for the error. */
  private async close(seconds: number): Promise<void> {
    await this.client.end({ timeout: seconds }).catch(() => {});
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  private check(): void {
    if (this.isLost) throw lost();
  }

  /** Connects once per task: the client would retry forever if a server hangs up before it answers. */
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

  /** Until the socket has closed, its errors always have a listener, whatever the client does. */
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

/** The client settles a copy with its stream, and again at its end, when nobody listens any more. */
function endOf(query: unknown): Promise<number> {
  const settled = query as Settled;
  const { resolve: open, reject: refuse } = settled;
  return new Promise((resolve, reject) => {
    let isOpen = false;
    settled.resolve = (value) => {
      if (isOpen) return resolve((value as { count: number }).count);
      isOpen = true;
      // It may fail before anyone has it. Whoever waits for the end gets the error.
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

/** Uses a separate connection. If that takes too long, the server will notice that its client is gone. */
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
