/**
 * What the attempts of one page can reach: listeners on the loopback interface, which record everything that arrives.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ATTEMPTS } from './attempts.ts';

/** Reports of violations go to this name before `bare.localhost:PORT`. */
export const REPORTS_NAME = 'reports';

export interface World {
  /** `bare.localhost:PORT`, with the attempt's name before it. */
  suffix: string;
  /** Ports by attempt. */
  datagrams: Record<string, number>;
  /** The attempts that had each effect. */
  requests: Set<string>;
  datagramsFrom: Set<string>;
  connections(): number;
  close(): void;
}

export async function createWorld(name: string): Promise<World> {
  const requests = new Set<string>();
  const datagramsFrom = new Set<string>();
  let connections = 0;
  const note = (host = '') => requests.add(host.split('.')[0]!);
  const server = createServer((request, response) => {
    note(request.headers.host);
    // One that cannot be read names no attempt.
    if (request.headers.host?.startsWith(REPORTS_NAME)) readReport(request).then(note, () => {});
    response.writeHead(200, { 'access-control-allow-origin': '*', 'content-type': 'text/plain' }).end('x');
  });
  server.on('upgrade', ({ headers }, socket) => {
    note(headers.host);
    socket.destroy();
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = await Promise.all(
    ATTEMPTS.filter(({ shows }) => shows === 'datagram').map(async ({ name: attempt }) => {
      const socket = createSocket('udp4', () => datagramsFrom.add(attempt));
      socket.bind(0, '127.0.0.1');
      await once(socket, 'listening');
      return { attempt, socket };
    }),
  );
  return {
    suffix: `${name}.localhost:${(server.address() as AddressInfo).port}`,
    datagrams: Object.fromEntries(sockets.map(({ attempt, socket }) => [attempt, socket.address().port])),
    requests,
    datagramsFrom,
    connections: () => connections,
    close: () => {
      server.closeAllConnections();
      server.close();
      for (const { socket } of sockets) socket.close();
    },
  };
}

/** The host whose address was refused. */
async function readReport(request: IncomingMessage): Promise<string> {
  const { 'csp-report': report } = JSON.parse(await text(request)) as {
    'csp-report': { 'blocked-uri': string };
  };
  return new URL(report['blocked-uri']).host;
}
