/**
 * Uses node:http. A worker calls its server several times per job, and a short call takes 320 µs of CPU time with
 * `fetch` but 70 µs with this (Node 20). Loading `fetch` costs a command 25 ms.
 */
import { Agent, type IncomingMessage, request as plain, type RequestOptions } from 'node:http';
import { Agent as SecureAgent, request as secure } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Reply, Request, RequestBody } from './exchange.ts';

const agent = new Agent({ keepAlive: true });
const secureAgent = new SecureAgent({ keepAlive: true });
/** A connection that is silent for this long is given up; streams and claims are never that silent. */
const SILENT_MS = 300_000;
/** The limit for connecting. */
const CONNECT_MS = 10_000;

export function exchange({ method, url, headers, body, signal }: Request): Promise<Reply> {
  const isSecure = url.startsWith('https:');
  const options: RequestOptions = {
    method,
    agent: isSecure ? secureAgent : agent,
    headers: { 'accept-encoding': 'gzip', ...headers, ...lengthOf(body) },
    ...(signal ? { signal } : {}),
  };
  return new Promise((resolve, reject) => {
    const call = (isSecure ? secure : plain)(url, options, (message) => resolve(replyOf(message)));
    call.on('error', reject);
    call.on('socket', (socket) => limitConnecting(socket));
    call.setTimeout(SILENT_MS, () => call.destroy(new Error(`nothing came for ${SILENT_MS / 1000} s`)));
    if (isWhole(body)) call.end(body);
    else pipeline(Readable.from(body), call, (error) => error && reject(error));
  });
}

/** A reused socket is already connected. */
function limitConnecting(socket: Socket): void {
  if (!socket.connecting) return;
  const late = Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT', syscall: 'connect' });
  const timer = setTimeout(() => socket.destroy(late), CONNECT_MS);
  const end = () => clearTimeout(timer);
  socket.once('connect', end).once('close', end);
}

const isWhole = (body: RequestBody | undefined): body is string | Uint8Array<ArrayBuffer> | undefined =>
  body === undefined || typeof body === 'string' || body instanceof Uint8Array;

const lengthOf = (body: RequestBody | undefined) =>
  body === undefined || !isWhole(body) ? {} : { 'content-length': Buffer.byteLength(body) };

function replyOf(message: IncomingMessage): Reply {
  const isPacked = message.headers['content-encoding'] === 'gzip';
  const body = isPacked ? pipeline(message, createGunzip(), () => {}) : message;
  return { status: message.statusCode!, text: () => textOf(body), body };
}

function textOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    body.on('data', (chunk: Buffer) => chunks.push(chunk));
    body.on('end', () => resolve(String(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))));
    body.on('error', reject);
    body.on('close', () => reject(new Error('the answer broke off')));
  });
}
