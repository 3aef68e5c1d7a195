/**
 * Which names a server answers to, and which pages may change things through a browser. A page of another site that
 * makes its name point here (DNS rebinding) comes with its own name in Host.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '@woof/protocol';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

export class HostCheck {
  private readonly names: ReadonlySet<string>;

  constructor(names: readonly string[]) {
    this.names = new Set([...LOOPBACK, ...names.map((name) => name.toLowerCase())]);
  }

  check(method: string, { host = '', origin }: IncomingHttpHeaders): void {
    const name = nameOf(`http://${host}`);
    if (name === undefined || !this.names.has(name)) {
      throw new Problem('host/refused', 'this server does not answer to that host name; see --host');
    }
    if (origin === undefined || method === 'GET' || method === 'HEAD') return;
    const page = nameOf(origin);
    if (page === undefined || !this.names.has(page))
      throw new Problem('host/refused', 'pages of that origin may not change anything here; see --host');
  }
}

function nameOf(url: string): string | undefined {
  try {
    return new URL(url).hostname.toLowerCase() || undefined;
  } catch {
    return undefined;
  }
}
