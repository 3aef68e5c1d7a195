/** Connections by address, shared by the tasks of a worker: NATS itself matches answers to requests. */
import { createHash } from 'node:crypto';
import {
  type Authenticator,
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import type { NatsAddress } from './nats-address.ts';

const CONNECT_MS = 10_000;
const MAX_OPEN = 16;

export class NatsPool {
  private readonly open = new Map<string, Promise<NatsConnection>>();

  /** `seconds`: how long the caller waits at most. A connection attempt cannot be abandoned earlier. */
  connection(address: NatsAddress, seconds?: number): Promise<NatsConnection> {
    const key = createHash('sha256').update(JSON.stringify(address)).digest('hex');
    const known = this.open.get(key);
    if (known) {
      this.open.delete(key);
      this.open.set(key, known);
      return known;
    }
    const opened = connect({
      ...optionsOf(address),
      timeout: Math.min(CONNECT_MS, (seconds || 60) * 1000 + 500),
    });
    this.open.set(key, opened);
    const forget = () => {
      if (this.open.get(key) === opened) this.open.delete(key);
    };
    opened.then((connection) => connection.closed().then(forget), forget);
    if (this.open.size > MAX_OPEN) this.retireOldest();
    return opened;
  }

  async close(): Promise<void> {
    const all = [...this.open.values()];
    this.open.clear();
    await Promise.all(all.map(ended));
  }

  private retireOldest(): void {
    const [key, oldest] = this.open.entries().next().value!;
    this.open.delete(key);
    // Lets running operations finish first.
    oldest.then((connection) => connection.drain()).catch(() => {});
  }
}

async function ended(opening: Promise<NatsConnection>): Promise<void> {
  const connection = await opening.catch(() => undefined);
  await connection?.close();
}

/** A task that finds its connection broken fails. Its policy may retry it, on a new connection. */
function optionsOf({ servers, tls, ca, ...secrets }: NatsAddress): ConnectionOptions {
  const authenticator = authenticatorOf(secrets);
  return {
    servers,
    name: 'woof',
    reconnect: false,
    noAsyncTraces: true,
    ...(authenticator ? { authenticator } : {}),
    ...(tls || ca !== undefined ? { tls: ca === undefined ? {} : { ca } } : {}),
  };
}

function authenticatorOf({
  user,
  password,
  token,
  creds,
  seed,
}: Partial<NatsAddress>): Authenticator | undefined {
  const bytes = (text: string) => new TextEncoder().encode(text);
  if (creds !== undefined) return credsAuthenticator(bytes(creds));
  if (seed !== undefined) return nkeyAuthenticator(bytes(seed));
  if (token !== undefined) return tokenAuthenticator(token);
  return user === undefined ? undefined : usernamePasswordAuthenticator(user, password);
}
