/** Which pages may make changes, through a real server: only its own, by scheme, host and port. */
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { testServer } from '../fixtures/test-server.ts';
import { isHost } from './host-check.ts';

const NAMED = ['woof.example.org', 'https://tls.example.org:8443', 'http://plain.example.org', 'fd00::7'];

interface Asked {
  method?: string;
  host: string;
  origin?: string;
}

/** The statuses of `POST /v1/lint` (or `GET /v1/me`). PORT stands for the port that the server listens on. */
async function statusOf(hosts: readonly string[], asked: readonly Asked[]): Promise<(number | undefined)[]> {
  const test = await testServer({ hosts });
  const { port } = new URL(test.url);
  const ask = ({ method = 'POST', host, origin }: Asked) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        host: host.replace('PORT', port),
        authorization: `Bearer ${test.tokens.admin}`,
        'content-type': 'application/json',
        ...(origin === undefined ? {} : { origin: origin.replace('PORT', port) }),
      };
      const path = method === 'POST' ? '/v1/lint' : '/v1/me';
      const call = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      call.on('error', reject);
      call.end(method === 'POST' ? '{"text":""}' : undefined);
    });
  return Promise.all(asked.map(ask));
}

const OWN: [host: string, origin: string][] = [
  ['localhost:PORT', 'http://localhost:PORT'],
  ['127.0.0.1:PORT', 'http://127.0.0.1:PORT'],
  ['[::1]:PORT', 'http://[::1]:PORT'],
  ['LocalHost:PORT', 'HTTP://LOCALHOST:PORT'],
  // A tunnel: the port is the one that the browser connected to.
  ['localhost:8080', 'http://localhost:8080'],
  ['localhost', 'http://localhost'],
  ['localhost:80', 'http://localhost'],
  ['localhost', 'http://localhost:80'],
  ['woof.example.org:PORT', 'http://woof.example.org:PORT'],
  ['Woof.Example.org', 'https://woof.example.org'],
  ['woof.example.org', 'https://woof.example.org:443'],
  ['[fd00::7]:PORT', 'http://[fd00::7]:PORT'],
  ['[fd00::7]', 'https://[fd00::7]'],
  ['[fd00:0:0::7]:PORT', 'http://[FD00::7]:PORT'],
  ['tls.example.org:8443', 'https://tls.example.org:8443'],
  // Proxies that put the server's internal address into Host.
  ['127.0.0.1:PORT', 'https://woof.example.org'],
  ['127.0.0.1:PORT', 'https://tls.example.org:8443'],
  ['127.0.0.1:PORT', 'http://plain.example.org'],
];

const FOREIGN: [host: string, origin: string][] = [
  ['localhost:PORT', 'http://localhost:3000'],
  ['localhost:PORT', 'http://localhost'],
  ['localhost:PORT', 'https://localhost:PORT'],
  ['localhost:PORT', 'https://localhost'],
  ['localhost', 'https://localhost'],
  ['localhost:PORT', 'http://127.0.0.1:PORT'],
  ['127.0.0.1:PORT', 'http://[::1]:PORT'],
  ['127.0.0.1:PORT', 'http://127.0.0.2:PORT'],
  ['localhost:PORT', 'http://x.localhost:PORT'],
  ['localhost:PORT', 'http://abc.wb.localhost:PORT'],
  ['localhost:PORT', 'http://localhost.:PORT'],
  ['localhost:PORT', 'http://localhost:PORT@evil.example'],
  ['localhost:PORT', 'http://localhost:PORT/'],
  ['localhost:PORT', 'http://localhost:PORT, http://localhost:PORT'],
  ['localhost:PORT', 'ftp://localhost:PORT'],
  ['localhost:PORT', 'localhost:PORT'],
  ['localhost:PORT', 'null'],
  ['localhost:PORT', ''],
  ['localhost:PORT', 'https://evil.example'],
  ['woof.example.org', 'https://woof.example.org:8443'],
  ['woof.example.org:PORT', 'http://woof.example.org'],
  ['woof.example.org', 'https://evil.woof.example.org'],
  ['tls.example.org:8443', 'https://tls.example.org'],
  ['plain.example.org:PORT', 'https://plain.example.org'],
  ['evil.example:PORT', 'http://evil.example:PORT'],
  ['http://localhost:PORT', 'http://localhost:PORT'],
];

describe('a call that changes something', () => {
  const asked = (rows: readonly [string, string][]) => rows.map(([host, origin]) => ({ host, origin }));

  it.each([
    ['of an own page is answered', OWN, 200],
    ['of a page of another origin is refused', FOREIGN, 403],
  ] as const)('%s', async (_, rows, status) => {
    const found = await statusOf(NAMED, asked(rows));
    expect(rows.map((row, index) => [...row, found[index]])).toEqual(rows.map((row) => [...row, status]));
  });

  it('without an Origin is answered under every name of the server', async () => {
    const hosts = [
      'localhost:1',
      '127.0.0.1',
      '[::1]:9663',
      'woof.example.org',
      'tls.example.org',
      '[fd00::7]',
    ];
    expect(
      new Set(
        await statusOf(
          NAMED,
          hosts.map((host) => ({ host })),
        ),
      ),
    ).toEqual(new Set([200]));
  });
});

it('a call that only reads may come from any page', async () => {
  const origins = ['https://evil.example', 'null', 'http://localhost:3000'];
  const reads = origins.map((origin) => ({ method: 'GET', host: 'localhost:PORT', origin }));
  expect(await statusOf([], reads)).toEqual([200, 200, 200]);
});

it('--host accepts a name, an address or an origin', () => {
  const good = [
    'woof.example.org',
    '10.0.0.1',
    'fd00::7',
    '[fd00::7]',
    'https://a.example:8443',
    'http://a.example',
  ];
  const wrong = ['', 'a.example:8443', '[fd00::7]:80', 'https://a.example/', 'ftp://a.example', 'a b', 'a/b'];
  expect(good.filter((text) => !isHost(text))).toEqual([]);
  expect(wrong.filter(isHost)).toEqual([]);
});
