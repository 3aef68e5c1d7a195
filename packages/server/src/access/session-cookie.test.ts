/** Which calls the cookie authorizes, and what pages of other sites and other connections cannot do with it. */
import { describe, expect, it } from 'vitest';
import { cookieOf, type Headers, JSON_TYPE, logIn, me, send } from '../fixtures/login-calls.ts';
import { testServer } from '../fixtures/test-server.ts';

describe('a connection over which browsers do not keep the cookie', () => {
  const hosts = ['woof.example.org', 'http://plain.example.org', 'https://tls.example.org:8443'];
  const KEPT: Headers[] = [
    { host: 'localhost:1', origin: 'http://localhost:1' },
    { host: '127.0.0.1:1', origin: 'http://127.0.0.1:1' },
    { host: '[::1]:1', origin: 'http://[::1]:1' },
    { host: 'woof.example.org', origin: 'https://woof.example.org' },
    { host: '127.0.0.1:1', origin: 'https://woof.example.org' },
    { host: 'tls.example.org:8443', origin: 'https://tls.example.org:8443' },
    { host: 'localhost:1' },
    { host: 'woof.example.org' },
  ];
  const LOST: Headers[] = [
    { host: 'woof.example.org:9663', origin: 'http://woof.example.org:9663' },
    { host: 'woof.example.org', origin: 'http://woof.example.org' },
    { host: 'plain.example.org', origin: 'http://plain.example.org' },
    { host: '127.0.0.1:1', origin: 'http://plain.example.org' },
    { host: 'plain.example.org' },
    { host: 'woof.example.org:9663' },
  ];

  it('is refused with a hint what to do instead, before a code is used', async () => {
    const test = await testServer({ hosts });
    const token = { token: test.tokens.viewer };
    for (const headers of KEPT)
      expect([headers, (await logIn(test, token, headers)).status]).toEqual([headers, 200]);
    const { code } = await test.as('viewer').call('login.code');
    for (const headers of LOST) {
      const { status, body, cookie } = await logIn(test, { code }, headers);
      expect([headers, status, body.code, cookie]).toEqual([headers, 403, 'login/insecure', undefined]);
      expect(body.detail).toMatch(/https.*ssh -L/);
    }
    expect((await logIn(test, { code })).status).toBe(200);
  });

  it('cannot make calls with a cookie either', async () => {
    const test = await testServer({ hosts });
    const cookie = await cookieOf(test.url, { token: test.tokens.viewer });
    const lint = async (headers: Headers) => {
      const sent = { ...JSON_TYPE, ...headers, cookie };
      return [headers, (await send(test, 'POST', '/v1/lint', sent, '{"text":""}')).status];
    };
    for (const headers of KEPT.filter(({ origin }) => origin))
      expect(await lint(headers)).toEqual([headers, 200]);
    for (const headers of LOST) expect(await lint(headers)).toEqual([headers, 403]);
  });
});

describe('a call with the cookie', () => {
  const OWN: [method: string, headers: Headers][] = [
    ['GET', {}],
    ['GET', { 'sec-fetch-site': 'none' }],
    ['GET', { 'sec-fetch-site': 'same-origin' }],
    ['GET', { origin: 'OWN', 'sec-fetch-site': 'same-origin' }],
    ['POST', { origin: 'OWN' }],
    ['POST', { origin: 'OWN', 'sec-fetch-site': 'same-origin' }],
  ];
  const FOREIGN: [method: string, headers: Headers][] = [
    ['POST', {}],
    ['POST', { 'sec-fetch-site': 'same-origin' }],
    ['POST', { origin: 'null' }],
    ['POST', { origin: '' }],
    ['POST', { origin: 'https://evil.example' }],
    ['POST', { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
    ['POST', { origin: 'http://127.0.0.1:3000' }],
    ['POST', { origin: 'http://localhost:PORT' }],
    ['POST', { origin: 'OWN', 'sec-fetch-site': 'same-site' }],
    ['POST', { origin: 'OWN', 'sec-fetch-site': 'cross-site' }],
    ['GET', { 'sec-fetch-site': 'same-site' }],
    ['GET', { 'sec-fetch-site': 'cross-site' }],
    ['GET', { 'sec-fetch-site': 'same-origin, cross-site' }],
    ['GET', { 'sec-fetch-site': '' }],
    ['GET', { origin: 'https://evil.example' }],
    ['GET', { origin: 'http://127.0.0.1:3000' }],
    ['GET', { origin: 'null' }],
    ['HEAD', { 'sec-fetch-site': 'cross-site' }],
  ];

  it('must come from a page of this server; tokens work for every program', async () => {
    const test = await testServer();
    const cookie = await cookieOf(test.url, { token: test.tokens.viewer });
    const { port } = new URL(test.url);
    const call = async (method: string, headers: Headers, caller: Headers) => {
      const { origin, ...more } = headers;
      const from =
        origin === undefined ? {} : { origin: origin.replace('OWN', test.url).replace('PORT', port) };
      const [path, body] = method === 'POST' ? ['/v1/lint', '{"text":""}'] : ['/v1/me', ''];
      return (await send(test, method, path, { ...JSON_TYPE, ...more, ...from, ...caller }, body)).status;
    };
    for (const [method, headers] of OWN)
      expect([method, headers, await call(method, headers, { cookie })]).toEqual([method, headers, 200]);
    for (const [method, headers] of FOREIGN)
      expect([method, headers, await call(method, headers, { cookie })]).toEqual([method, headers, 403]);
    // The answer does not reveal whether anyone is logged in.
    const unknown = { cookie: `__Host-woof=${'A'.repeat(43)}` };
    expect(await call('GET', { 'sec-fetch-site': 'cross-site' }, unknown)).toBe(403);
    const authorization = `Bearer ${test.tokens.viewer}`;
    expect(await call('POST', {}, { authorization })).toBe(200);
    expect(await call('POST', {}, { authorization, cookie })).toBe(200);
    expect(await call('GET', { 'sec-fetch-site': 'cross-site' }, { authorization, cookie })).toBe(200);
  });

  it('cannot log a browser in from another page', async () => {
    const test = await testServer();
    const body = { token: test.tokens.viewer };
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
    ])
      expect(await logIn(test, body, headers)).toMatchObject({ status: 403, cookie: undefined });
    const form = await send(
      test,
      'POST',
      '/v1/login',
      { 'content-type': 'text/plain', origin: test.url },
      JSON.stringify(body),
    );
    expect(form).toMatchObject({ status: 400, cookie: undefined });
    expect((await logIn(test, body, { origin: test.url, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });

  it('needs one well-formed value; anything else is ignored', async () => {
    const test = await testServer();
    const good = await cookieOf(test.url, { token: test.tokens.viewer });
    const id = good.replace('__Host-woof=', '');
    for (const cookie of [`a=1; ${good}; b=2`, `a=1;${good}`, `__Host-woof=x.${id}`])
      expect([cookie, (await me(test, cookie)).status]).toEqual([cookie, 200]);
    const none = [
      '',
      'woof=x',
      `__host-woof=${id}`,
      `__Host-woof2=${id}`,
      `a__Host-woof=${id}`,
      '__Host-woof=..',
    ];
    const beyond = `__Host-woof=${`${'A'.repeat(43)}.`.repeat(5)}${id}`;
    for (const cookie of [...none, `__Host-woof="${id}"`, `__Host-woof=${id}%00`, beyond])
      expect([cookie, (await me(test, cookie)).status]).toEqual([cookie, 401]);
  });
});
