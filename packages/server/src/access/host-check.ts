/**
 * Which names a server answers to, and which pages may change something through a browser. A page of another site that
 * makes its name point here (DNS rebinding) comes with its own name in Host.
 *
 * A page may change something if its origin is the server's own: scheme, host and port together. Own are `http://` and the
 * Host that the request came to, `https://NAME` for every NAME of `--host` (a proxy that ends TLS stands before it), and
 * every origin that `--host` names in full.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import { Problem } from '@woof/protocol';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** As a browser writes it: nothing stands behind the port. */
const ORIGIN = /^https?:\/\/[^/?#@\\\s]+$/i;

export interface OwnHosts {
  /** The address that the server listens on. */
  listen: string;
  /** Of `--host`: names, or whole origins. */
  named: readonly string[];
}

export class HostCheck {
  private readonly names: ReadonlySet<string | undefined>;
  private readonly origins: ReadonlySet<string | undefined>;

  constructor({ listen, named }: OwnHosts) {
    this.names = new Set([...LOOPBACK, nameOf(listen), ...named.map(nameOf)]);
    this.origins = new Set(named.map((text) => originOf(text, 'https')));
  }

  check(method: string, { host = '', origin }: IncomingHttpHeaders): void {
    const reached = ORIGIN.test(host) ? undefined : originOf(host, 'http');
    if (reached === undefined || !this.names.has(new URL(reached).hostname)) {
      throw new Problem('host/refused', 'the server does not answer to this host name; allow it with --host');
    }
    if (origin === undefined || method === 'GET' || method === 'HEAD') return;
    const page = originOf(origin);
    if (page === undefined || (page !== reached && !this.origins.has(page)))
      throw new Problem(
        'host/refused',
        'the server does not accept changes from pages of this origin; allow it with --host',
      );
  }
}

/** Whether it is a name, an address or an origin. A name with a port is none of them: which scheme it has is not said. */
export function isHost(text: string): boolean {
  return originOf(text, 'http') !== undefined && (ORIGIN.test(text) || !/[^:]:\d+$/.test(bracketed(text)));
}

function nameOf(text: string): string | undefined {
  const origin = originOf(text, 'http');
  return origin && new URL(origin).hostname;
}

/** In lower case, without the port that is usual for its scheme. What names no scheme gets this one. */
function originOf(text: string, scheme?: 'http' | 'https'): string | undefined {
  const whole = ORIGIN.test(text) || scheme === undefined ? text : `${scheme}://${bracketed(text)}`;
  return ORIGIN.test(whole) && URL.canParse(whole) ? new URL(whole).origin : undefined;
}

/** An IPv6 address stands in brackets where a port may follow. */
function bracketed(text: string): string {
  return isIPv6(text) ? `[${text}]` : text;
}
