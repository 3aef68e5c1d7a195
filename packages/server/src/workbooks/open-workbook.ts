/**
 * The host of one workbook on this computer: the shell at `http://HASH.localhost:PORT/TOKEN/`, the workbook at
 * `http://box.HASH.localhost:PORT`. Whoever knows the token in the address is taken to be the person at the terminal.
 *
 * Both belong to one site, which only this workbook uses: browsers that give third-party frames no storage still give
 * it to this frame, and no other workbook sees it. They are two origins, so neither can access the other.
 *
 * The host listens on both loopback addresses, because browsers may try either, and another program must not have the
 * other one. It answers only to its own names, so a site that uses DNS rebinding gets nothing. It accepts calls only
 * from its own page, so other pages on this computer get nothing either.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FrameAddress } from './frame-address.ts';
import { isOwnPage } from './own-page.ts';
import { answerCall, sendShell } from './shell-calls.ts';
import { type Opened, refuse, WorkbookHost } from './workbook-host.ts';
import { workbookLabel } from './workbook-label.ts';

const ATTEMPTS = 10;

export interface OpenOptions {
  opened: Opened;
  /** The built script of the shell. */
  script: string;
  /** 0 takes any free port. Default: see `preferredPort`. */
  port?: number;
}

export interface OpenedHost {
  url: string;
  /** Another program uses the port that the workbook had before, so the data that the browser kept is not available. */
  isElsewhere: boolean;
  close(): Promise<void>;
}

export async function openWorkbook({ opened, script, port }: OpenOptions): Promise<OpenedHost> {
  const token = randomBytes(24).toString('base64url');
  let answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  const listener: Listener = (request, response) => {
    answer(request, response).catch(() => response.destroy());
  };
  const servers =
    port === undefined ? await listenAtUsual(opened, listener) : await listenOnLoopback(port, listener);
  const { port: actual } = servers[0]!.address() as AddressInfo;
  // Browsers treat `localhost` like `org`: each name directly below it is a site, and no cookie crosses to another
  // site.
  const shellHost = `${workbookLabel(opened.page.hash)}.localhost:${actual}`;
  const shellOrigin = `http://${shellHost}`;
  const host = new WorkbookHost(new FrameAddress('http', () => shellHost), true);
  answer = async (request, response) => {
    if (await host.serveFrame(request, response)) return;
    if (request.headers.host !== shellHost)
      return refuse(response, 421, `This server answers only to ${shellHost}.`);
    const path = pathBehind(token, request.url ?? '');
    if (path === undefined)
      return refuse(
        response,
        404,
        'There is nothing at this address. Use the complete address that woof open printed.',
      );
    if (!isOwnPage(request, path, shellOrigin))
      return refuse(response, 403, 'Only the page that woof open serves can make this call.');
    if (path === '') sendShell(host, script, [host.originOf(opened)], response);
    else if (path.startsWith('api/'))
      await answerCall(host, { opened, shellOrigin }, path.slice(4), request, response);
    else refuse(response, 404, 'There is nothing at this address.');
  };
  const usual = preferredPort(opened);
  const isElsewhere = usual !== 0 && port === undefined && actual !== usual;
  return { url: `${shellOrigin}/${token}/`, isElsewhere, close: () => closeAll(servers) };
}

/** The rest of the path after the token; undefined if the path does not start with the token. */
function pathBehind(token: string, url: string): string | undefined {
  const [path = ''] = url.split('?');
  const given = Buffer.from(path.slice(1, token.length + 1));
  const expected = Buffer.from(token);
  const isKnown = given.length === expected.length && timingSafeEqual(given, expected);
  return isKnown && path[token.length + 1] === '/' ? path.slice(token.length + 2) : undefined;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Below the ephemeral ports of operating systems. */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

/**
 * Browsers keep data per port: a workbook that may keep data gets the same port each time if it is free. All others
 * take any free port.
 */
export function preferredPort({ page }: Pick<Opened, 'page'>): number {
  if (!page.workbook.permissions.includes('storage')) return 0;
  return FIRST_PORT + (Number.parseInt(page.hash.slice(0, 8), 16) % PORTS);
}

async function listenAtUsual(opened: Opened, listener: Listener): Promise<Server[]> {
  const usual = preferredPort(opened);
  return listenOnLoopback(usual, listener).catch((error: NodeJS.ErrnoException) => {
    if (usual === 0 || error.code !== 'EADDRINUSE') throw error;
    return listenOnLoopback(0, listener);
  });
}

async function listenOnLoopback(port: number, listener: Listener): Promise<Server[]> {
  for (let attempt = 1; ; attempt++) {
    const four = await listen('127.0.0.1', port, listener);
    const { port: actual } = four.address() as AddressInfo;
    try {
      return [four, await listen('::1', actual, listener)];
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // On a machine without IPv6, no other program listens there either.
      if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return [four];
      await closeAll([four]);
      if (port !== 0 || attempt >= ATTEMPTS) throw error;
    }
  }
}

function listen(host: string, port: number, listener: Listener): Promise<Server> {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 60_000 }, listener);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
  for (const server of servers) server.closeAllConnections();
  await Promise.all(closed);
}
