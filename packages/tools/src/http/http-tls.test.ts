import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { JsonObject, Outcome } from '@woof/net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toolCall, toolContext } from '../exercise-tool.ts';
import { retryAfterSeconds } from './http-failure.ts';
import { createHttpTool } from './http-tool.ts';

/** Made only for this test: it protects nothing. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgX6lQzmU4VIavFWhr
Nf5vCZJDjNDTcxC3rEfX9MJoVlqhRANCAARYl6rt46cZqM9cF983ktKqm95zp+oa
5N0hFU61VXt3ok0GwUi9kGCdWPseFVz9GMEmZ7muf1DjNZRf/YXDHpdL
-----END PRIVATE KEY-----
`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBgDCCASWgAwIBAgIUFiWMyG9V7rrgis+NhQijrv8dvk8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTA5NDMwNVoYDzIxMjYxMDIy
MDk0MzA1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARYl6rt46cZqM9cF983ktKqm95zp+oa5N0hFU61VXt3ok0GwUi9kGCd
WPseFVz9GMEmZ7muf1DjNZRf/YXDHpdLo1MwUTAdBgNVHQ4EFgQUFws4TA6URbq6
EsZjjlAYUChQDDwwHwYDVR0jBBgwFoAUFws4TA6URbq6EsZjjlAYUChQDDwwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAlgA+lVVAu5yzM2Jw6vaS
kYqT01f0pNhNibMKvFFeKn8CIQDwl/OZ3uZBoRb6RtFqX1J9NhhAmroaChw60ITU
Bs7GQw==
-----END CERTIFICATE-----
`;

const tool = createHttpTool();
const server = createServer({ key, cert }, (_request, response) => response.end());

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(async () => {
  await tool.close?.();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const run = (input: JsonObject) => {
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return tool.run(toolCall({ input: { url, ...input } }), toolContext()) as Promise<Outcome>;
};

it('refuses an untrusted certificate, and says how to accept it', async () => {
  const { error } = await run({});
  expect(error).toMatchObject({ kind: 'connection', retryable: false });
  expect(error?.message).toMatch(/certificate.*verify_ssl: false/);
});

it('accepts it if told to, and only then', async () => {
  expect(await run({ verify_ssl: false })).toMatchObject({ status: 'ok' });
  expect(await run({ verify_ssl: true })).toMatchObject({ status: 'error' });
});

it('says in plain words that the server does not speak TLS, and does not suggest a retry', async () => {
  const plain = createPlainServer((_request, response) => response.end());
  await new Promise<void>((resolve) => void plain.listen(0, '127.0.0.1', resolve));
  const { error } = await run({ url: `https://127.0.0.1:${(plain.address() as AddressInfo).port}/` });
  expect(error).toMatchObject({ kind: 'connection', retryable: false });
  expect(error?.message).toMatch(
    /: the service does not use TLS; should the address begin with http:\/\/\?$/,
  );
  plain.closeAllConnections();
  plain.close();
});

it('says that no TLS version suits both sides', async () => {
  const old = createServer({
    key,
    cert,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    ciphers: 'ALL@SECLEVEL=0',
  });
  await new Promise<void>((resolve) => void old.listen(0, '127.0.0.1', resolve));
  const { error } = await run({ url: `https://127.0.0.1:${(old.address() as AddressInfo).port}/` });
  expect(error).toMatchObject({ kind: 'connection', retryable: false });
  expect(error?.message).toMatch(/the TLS negotiation failed: [a-z0-9 ]+$/);
  old.close();
});

it.each([
  ['7', 7],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 60],
  ['Thu, 01 Jan 1960 00:00:00 GMT', 0],
  ['soon', undefined],
  [undefined, undefined],
])('reads Retry-After: %s', (header, seconds) => {
  expect(retryAfterSeconds(header, 0)).toBe(seconds);
});
