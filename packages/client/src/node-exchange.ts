/**
 * Calls over node:http. A worker calls its server several times per job, and `fetch` takes 320 µs of the processor for a short
 * call where this takes 70 (Node 20).
 */
import { Agent, type IncomingMessage, request as plain, type RequestOptions } from 'node:http';
import { Agent as SecureAgent, request as secure } from 'node:https';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Reply, Request } from './exchange.ts';

const agent = new Agent({ keepAlive: true });
const secureAgent = new SecureAgent({ keepAlive: true });
const unpack = promisify(gunzip);

export function exchange({ method, url, headers, body, signal }: Request): Promise<Reply> {
  const isSecure = url.startsWith('https:');
  const options: RequestOptions = {
    method,
    agent: isSecure ? secureAgent : agent,
    headers: { 'accept-encoding': 'gzip', ...headers, ...lengthOf(body) },
    signal,
  };
  return new Promise((resolve, reject) => {
    const call = (isSecure ? secure : plain)(url, options, (reply) => resolve(replyOf(reply)));
    call.on('error', reject);
    call.end(body);
  });
}

const lengthOf = (body: string | undefined) =>
  body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };

async function replyOf(message: IncomingMessage): Promise<Reply> {
  const bytes = await bytesOf(message);
  const isPacked = message.headers['content-encoding'] === 'gzip';
  return { status: message.statusCode!, text: String(isPacked ? await unpack(bytes) : bytes) };
}

function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    message.on('error', reject);
    // An answer that breaks off ends with an error, too, except when nobody had asked for more of it.
    message.on('close', () => reject(new Error('the answer broke off')));
  });
}
