/**
 * A service on 127.0.0.1 that tells whatever it is told: headers, query and body, as text, JSON or Base64.
 *
 * /echo        200, everything as JSON
 * /fail        500, the same
 * /large       200, the same after 300 KB of other text
 * /guarded     401 until the bearer token is the newest that /token gave
 * /token       an access token by client credentials, another one each time
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface EchoService {
  url: string;
  /** Everything that it has received so far. */
  heard(): string;
  tokens: string[];
}

export async function startEchoService(): Promise<EchoService> {
  const heard: string[] = [];
  const tokens: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '/', headers } = request;
      const told = { url, headers, body: Buffer.concat(chunks).toString() };
      const text = JSON.stringify(told);
      heard.push(text);
      const answer = (status: number, body: string) =>
        response
          .writeHead(status, { 'content-type': 'application/json', 'x-told': headers.authorization ?? '-' })
          .end(body);
      const everything = JSON.stringify({ ...told, base64: Buffer.from(text).toString('base64') });
      if (url.startsWith('/token')) {
        tokens.push(`cAnary-access-${tokens.length}-${Math.random().toString(36).slice(2)}`);
        return answer(200, JSON.stringify({ access_token: tokens.at(-1), expires_in: 3600 }));
      }
      if (url.startsWith('/guarded'))
        return answer(
          headers.authorization === `Bearer ${tokens.at(-1)}` && tokens.length > 1 ? 200 : 401,
          everything,
        );
      if (url.startsWith('/fail')) return answer(500, everything);
      if (url.startsWith('/large'))
        return answer(200, JSON.stringify({ filler: 'x'.repeat(300_000), everything }));
      return answer(200, everything);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, heard: () => heard.join('\n'), tokens };
}
