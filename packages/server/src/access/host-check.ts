/**
 * Which names a server answers to, and which pages may change something through a browser. A page of another site that
 * makes its name point here (DNS rebinding) comes with its own name in Host.
 *
 * A page may change something if its origin is the server's own: scheme, host and port together. Own are `http://` and the
 * Host that the request came to, `https://NAME` for every NAME of `--host` (a proxy that ends TLS stands before it), and
 * every origin that `--host` names in full.
 *
 * A browser adds a cookie by itself, so calls with one are refused more often: what changes something must name its page, and
 * pages of other origins may not read either.
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

  check(method: string, headers: IncomingHttpHeaders): void {
    const reached = reachedBy(headers);
    if (reached === undefined || !this.names.has(new URL(reached).hostname)) {
      throw new Problem('host/refused', 'the server does not answer to this host name; allow it with --host');
    }
    if (headers.origin === undefined || isRead(method) || this.isOwn(headers)) return;
    throw new Problem(
      'host/refused',
      'the server does not accept changes from pages of this origin; allow it with --host',
    );
  }

  /** For calls with the cookie. */
  checkPage(method: string, headers: IncomingHttpHeaders): void {
    this.checkSite(headers);
    const { origin } = headers;
    if (origin === undefined ? isRead(method) : this.isOwn(headers) && keepsCookie(origin)) return;
    throw new Problem(
      'host/refused',
      'a call with the session cookie must come from a page of this server; programs send a token instead',
    );
  }

  /** Refuses a login whose cookie the browser would not send back. */
  checkLogin(headers: IncomingHttpHeaders): void {
    this.checkSite(headers);
    const { origin, host } = headers;
    if (keepsCookie(origin ?? `http://${host}`)) return;
    if (origin === undefined && this.origins.has(originOf(`https://${host}`))) return;
    throw new Problem(
      'login/insecure',
      'browsers keep a session only over https or on this machine; use https through a proxy (--host NAME), or a tunnel such as ssh -L 9663:127.0.0.1:9663 HOST and http://localhost:9663',
    );
  }

  /** Pages of another port are of the same site: to their calls browsers add even the strictest cookie. */
  private checkSite({ 'sec-fetch-site': site = 'none' }: IncomingHttpHeaders): void {
    if (site === 'same-origin' || site === 'none') return;
    throw new Problem(
      'host/refused',
      'the server does not accept the session cookie from pages of other origins',
    );
  }

  private isOwn(headers: IncomingHttpHeaders): boolean {
    const page = originOf(headers.origin ?? '');
    return page !== undefined && (page === reachedBy(headers) || this.origins.has(page));
  }
}

/** The origin that a browser would have come to, over plain HTTP. */
function reachedBy({ host = '' }: IncomingHttpHeaders): string | undefined {
  return ORIGIN.test(host) ? undefined : originOf(host, 'http');
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Browsers keep a `Secure` cookie over HTTPS, and over plain HTTP if the host is this machine. */
function keepsCookie(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || /^(.*\.)?localhost$|^127\.[\d.]+$|^\[::1\]$/.test(hostname);
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
