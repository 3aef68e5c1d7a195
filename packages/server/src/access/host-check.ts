/**
 * Which host names a server answers to, and which pages may make changes through a browser. In a DNS rebinding attack, the
 * page's own host name is in the Host header.
 *
 * A page may make changes if its origin (scheme, host and port) is one of the server's own. These are `http://` with the
 * Host of the request, `https://NAME` for every NAME of `--host` (behind a proxy that terminates TLS), and every full
 * origin of `--host`.
 *
 * Browsers send cookies automatically, so calls with a cookie are checked more strictly: a call that changes something
 * must name its page, and pages of other origins may not read either.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import { Problem } from '@woof/protocol';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/** As browsers write it: nothing follows the port. */
const ORIGIN = /^https?:\/\/[^/?#@\\\s]+$/i;

export interface OwnHosts {
  /** The address that the server listens on. */
  listen: string;
  /** From `--host`: names or full origins. */
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

  /** Refuses a login if the browser would not send the cookie back. */
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

  /** Pages on another port belong to the same site, so browsers send even a `SameSite=Strict` cookie with their calls. */
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

/** The origin that a browser used for this request, over plain HTTP. */
function reachedBy({ host = '' }: IncomingHttpHeaders): string | undefined {
  return ORIGIN.test(host) ? undefined : originOf(host, 'http');
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Browsers keep a `Secure` cookie over HTTPS, and over plain HTTP only if the host is this machine. */
function keepsCookie(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || /^(.*\.)?localhost$|^127\.[\d.]+$|^\[::1\]$/.test(hostname);
}

/** Whether it is a name, an address or an origin. A name with a port is not valid, because it does not name a scheme. */
export function isHost(text: string): boolean {
  return originOf(text, 'http') !== undefined && (ORIGIN.test(text) || !/[^:]:\d+$/.test(bracketed(text)));
}

function nameOf(text: string): string | undefined {
  const origin = originOf(text, 'http');
  return origin && new URL(origin).hostname;
}

/** In lower case, without the default port of its scheme. `scheme` applies if the text names none. */
function originOf(text: string, scheme?: 'http' | 'https'): string | undefined {
  const whole = ORIGIN.test(text) || scheme === undefined ? text : `${scheme}://${bracketed(text)}`;
  return ORIGIN.test(whole) && URL.canParse(whole) ? new URL(whole).origin : undefined;
}

/** An IPv6 address needs brackets if a port may follow. */
function bracketed(text: string): string {
  return isIPv6(text) ? `[${text}]` : text;
}
