/** Idle sessions by address: a bounded number of them, and a bounded number in use per address. */
import { createHash } from 'node:crypto';
import { Turnstile } from '../turnstile.ts';
import { untilAborted } from '../until-aborted.ts';
import type { PostgresAddress } from './postgres-address.ts';
import { PostgresSession } from './postgres-session.ts';

const MAX_PER_ADDRESS = 8;
const MAX_IDLE = 32;

export class PostgresPool {
  private readonly idle: { key: string; session: PostgresSession }[] = [];
  private readonly gates = new Map<string, { gate: Turnstile; users: number }>();

  /** `clean`: runs on a session before it waits for its next task. */
  constructor(private readonly clean?: (session: PostgresSession) => Promise<void>) {}

  /** The session is reused unless the body throws: then its state is unknown. */
  async use<T>(
    address: PostgresAddress,
    signal: AbortSignal,
    body: (session: PostgresSession) => Promise<T>,
  ): Promise<T> {
    const key = keyOf(address);
    const entry = this.gates.get(key) ?? { gate: new Turnstile(MAX_PER_ADDRESS), users: 0 };
    this.gates.set(key, entry);
    entry.users += 1;
    try {
      return await entry.gate.pass(signal, () => this.lend(key, address, signal, body));
    } finally {
      entry.users -= 1;
      if (entry.users === 0) this.gates.delete(key);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.idle.splice(0).map(({ session }) => session.end()));
  }

  private async lend<T>(
    key: string,
    address: PostgresAddress,
    signal: AbortSignal,
    body: (session: PostgresSession) => Promise<T>,
  ): Promise<T> {
    const at = this.idle.findLastIndex((each) => each.key === key);
    const session = at < 0 ? new PostgresSession(address) : this.idle.splice(at, 1)[0]!.session;
    session.begin();
    let result: T;
    try {
      result = await untilAborted(signal, body(session));
    } catch (error) {
      if (signal.aborted) await session.abandon();
      else void session.end();
      throw error;
    }
    await this.keep(key, session, signal);
    return result;
  }

  /** The body's work is done: a session that cannot be cleaned, as in a transaction, is closed silently. */
  private async keep(key: string, session: PostgresSession, signal: AbortSignal): Promise<void> {
    try {
      if (this.clean) await untilAborted(signal, this.clean(session));
    } catch {
      return void session.end();
    }
    this.idle.push({ key, session });
    if (this.idle.length > MAX_IDLE) void this.idle.shift()!.session.end();
  }
}

function keyOf(address: PostgresAddress): string {
  return createHash('sha256').update(JSON.stringify(address)).digest('hex');
}
