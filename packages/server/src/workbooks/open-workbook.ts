/**
 * The host of one workbook on this computer: the shell at `http://HASH.localhost:PORT/TOKEN/`, the workbook at
 * `http://box.HASH.localhost:PORT`. Whoever knows the token in the address is the person at the terminal.
 *
 * Both are of one site, which is this workbook's alone: browsers that give frames of other sites no storage give it some,
 * and no other workbook sees it. They are two origins, so neither reaches into the other.
 *
 * It listens on both loopback addresses: browsers may try either, and the other one must not be somebody else's. It
 * answers to its own names only, so a site whose name was made to point here (DNS rebinding) gets nothing; and to calls
 * of its own page only, so other pages on this computer do not either.
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
  /** 0 takes a free one; absent: as `preferredPort` says. */
  port?: number;
}

export interface OpenedHost {
  url: string;
  /** Another program has the port that the workbook had before: what the browser kept is not there. */
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
  // To browsers `localhost` is like `org`: what lies below one name there is a site, and no cookie crosses to another.
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

/** The rest of a path that begins with the token. */
function pathBehind(token: string, url: string): string | undefined {
  const [path = ''] = url.split('?');
  const given = Buffer.from(path.slice(1, token.length + 1));
  const expected = Buffer.from(token);
  const isKnown = given.length === expected.length && timingSafeEqual(given, expected);
  return isKnown && path[token.length + 1] === '/' ? path.slice(token.length + 2) : undefined;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Below those that systems give to whoever asks for any. */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

/**
 * What a browser keeps belongs to a port too: a workbook that may keep data gets the same one each time, where it is free.
 * All others take whichever is free.
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
      // A machine without IPv6 has nobody else there either.
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
