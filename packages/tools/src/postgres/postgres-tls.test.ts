import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import type { JsonObject, Outcome } from '@woof/net';
import { describeUnless, type PostgresServer, postgresReason, startPostgres } from '@woof/testkit';
import { temporaryFolder } from '@woof/testkit/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolCall, toolContext } from '../exercise-tool.ts';
import { PostgresSession } from './postgres-session.ts';
import { createPostgresTool } from './postgres-tool.ts';

/** Made only for this test: it protects nothing. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1h/HqGttKpIYeEQn
SPzPQhIQyt4bOD5C4UEvibBNS6mhRANCAAQMZeHkplg93I01B9Yo+QoMu6HEZhoH
UWs43SqruFF9bcRd8/1a8S+YK5wrBq3qZRyfI3SnFKbp4iQ3muEik9Bi
-----END PRIVATE KEY-----
`;
/** For 127.0.0.1, self-signed. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBkTCCATagAwIBAgIUdUBPn9yfg7bnlnY9h4wscs63LPowCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJd29vZi10ZXN0MCAXDTI2MTExNTEzNTgzMVoYDzIxMjYxMDIy
MTM1ODMxWjAUMRIwEAYDVQQDDAl3b29mLXRlc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQMZeHkplg93I01B9Yo+QoMu6HEZhoHUWs43SqruFF9bcRd8/1a8S+Y
K5wrBq3qZRyfI3SnFKbp4iQ3muEik9Bio2QwYjAdBgNVHQ4EFgQUSnlVddYHUR0s
+YQ8hCvOE8DX2KcwHwYDVR0jBBgwFoAUSnlVddYHUR0s+YQ8hCvOE8DX2KcwDwYD
VR0RBAgwBocEfwAAATAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYC
IQDvNgWUGR14+nohLKy8QvCSN7B7W01gBGjBbzEEK7l2dAIhAOdlEozUPD1JYrVC
sLmJ6xw79GPaFFqPPvD9MpzyfaOm
-----END CERTIFICATE-----
`;

describeUnless(postgresReason())('postgres over TLS', () => {
  let server: PostgresServer;
  const tool = createPostgresTool();
  const folder = temporaryFolder('postgres-tls');
  beforeAll(async () => {
    chmodSync(folder, 0o755);
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    writeFileSync(keyFile, key, { mode: 0o600 });
    writeFileSync(certFile, cert);
    // If the tests run as root, the server runs as nobody, and accepts only a key that its user owns.
    if (process.getuid?.() === 0) {
      chownSync(keyFile, Number(spawnSync('id', ['-u', 'nobody'], { encoding: 'utf8' }).stdout), 0);
    }
    server = await startPostgres({ settings: { ssl: 'on', ssl_key_file: keyFile, ssl_cert_file: certFile } });
  });
  afterAll(async () => {
    await tool.close?.();
    await server.dispose();
  });

  const run = (more: JsonObject) => {
    const command = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
    return tool.run(
      toolCall({ input: { url: server.url(), command, ...more } }),
      toolContext(),
    ) as Promise<Outcome>;
  };

  it.each([
    [{}, true],
    [{ sslmode: 'disable' }, false],
    [{ sslmode: 'prefer' }, true],
    [{ sslmode: 'require' }, true],
    [{ sslmode: 'verify-ca', sslrootcert: cert }, true],
    [{ sslmode: 'verify-full', sslrootcert: cert }, true],
    [{ sslrootcert: cert }, true],
  ])('connects: case %#', async (more, ssl) => {
    expect((await run(more)).result).toMatchObject({ rows: [{ ssl }] });
  });

  it.each([
    [{ sslmode: 'verify-full' }, /certificate/],
    [{ sslmode: 'verify-ca' }, /certificate/],
    [{ sslmode: 'verify-full', sslrootcert: cert, host: 'localhost' }, /altname|match/i],
  ])('refuses, and says so: case %#', async (more, message) => {
    const { error } = await run(more);
    expect(error).toMatchObject({ kind: 'connection', retryable: false });
    expect(error?.message).toMatch(message);
  });

  it('cancels over TLS too', async () => {
    const outcome = await run({
      command: 'SELECT pg_sleep(60)',
      sslmode: 'verify-full',
      sslrootcert: cert,
      timeout: 0.3,
    });
    expect(outcome.error).toMatchObject({ kind: 'db_timeout' });
  });
});

/** A server that agrees to encrypt, reports that a session is ready, and then reads nothing more. */
describe('a session over TLS', () => {
  const sockets = new Set<Socket>();
  const ready = Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0, 90, 0, 0, 0, 5, 73]);
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, key, cert });
      secure.on('error', () => {});
      secure.once('data', () => {
        secure.write(ready);
        secure.pause();
        socket.pause();
      });
    });
  });
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('ends while much is still to be written, without an unhandled error', async () => {
    const { port } = server.address() as AddressInfo;
    const address = { host: '127.0.0.1', port, user: 'u', password: '', database: 'd', sslmode: 'require' };
    const unheard: unknown[] = [];
    const hear = (error: unknown) => void unheard.push(error);
    process.on('uncaughtException', hear);
    try {
      for (let n = 0; n < 20; n++) {
        const session = new PostgresSession(address);
        session.begin();
        const query = session.command(`SELECT '${'x'.repeat(4_000_000)}'`);
        query.catch(() => {});
        await new Promise((resolve) => setTimeout(resolve, 5 + n));
        session.destroy();
        await expect(query).rejects.toThrow();
      }
    } finally {
      process.off('uncaughtException', hear);
    }
    expect(unheard).toEqual([]);
  });
});
