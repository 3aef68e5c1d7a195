/**
 * Encrypts a connection with Postgres's own negotiation: eight bytes, which the server answers with one.
 *
 * The client could do this itself, but then it would own the encrypted socket, and writes while the underlying socket
 * closes would cause an error that nobody catches.
 */
import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect } from 'node:tls';
import type { PostgresAddress } from './postgres-address.ts';

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = 'S'.charCodeAt(0);
const NO = 'N'.charCodeAt(0);

/** Returns the socket itself if encryption is not wanted, or only preferred and not available. */
export async function secureSocket(socket: Socket, address: PostgresAddress): Promise<Socket> {
  const { host, sslmode } = address;
  if (sslmode === 'disable' || host.startsWith('/')) return socket;
  const answer = await askForEncryption(socket);
  if (answer === YES) return encrypted(socket, address);
  // The server stays silent until the client speaks.
  if (answer === NO && sslmode === 'prefer') return socket.resume();
  if (answer !== NO)
    throw Object.assign(new Error('the service at this address is not a Postgres server'), {
      code: 'ERR_TLS_ANSWER',
    });
  const message = `the server does not support encryption, which sslmode ${sslmode} requires`;
  throw Object.assign(new Error(message), { code: 'ERR_TLS_REFUSED' });
}

function askForEncryption(socket: Socket): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => reject(error);
    const closed = () => {
      const error = new Error('the server closed the connection when Woof asked for encryption');
      reject(Object.assign(error, { code: 'CONNECTION_CLOSED' }));
    };
    socket.once('error', failed);
    socket.once('close', closed);
    socket.once('data', (bytes: Buffer) => {
      socket.pause();
      socket.off('error', failed);
      socket.off('close', closed);
      // Anything after the single byte was injected by someone in between.
      resolve(bytes.length === 1 ? bytes[0] : undefined);
    });
    socket.write(SSL_REQUEST);
  });
}

function encrypted(socket: Socket, address: PostgresAddress): Promise<Socket> {
  const secure = connect({ socket, ...tlsOptions(address) });
  return new Promise((resolve, reject) => {
    // The listener stays, because the socket's user is not attached yet.
    secure.on('error', reject);
    secure.once('secureConnect', () => resolve(secure));
    socket.once('close', () => {
      const error = new Error('the server closed the connection during the TLS negotiation');
      reject(Object.assign(error, { code: 'CONNECTION_CLOSED' }));
    });
  });
}

function tlsOptions({ sslmode, ca, host }: PostgresAddress): ConnectionOptions {
  const servername = isIP(host) ? {} : { servername: host };
  if (sslmode === 'prefer' || sslmode === 'require') return { ...servername, rejectUnauthorized: false };
  const trusted = ca === undefined ? {} : { ca };
  // Without `host`, the certificate of an IP address would be compared with "localhost".
  if (sslmode === 'verify-full') return { ...servername, host, ...trusted };
  return { ...servername, checkServerIdentity: () => undefined, ...trusted };
}
