/**
 * Reads a reply's body. JSON and text become values, which are stored if they are large. For anything else the bytes
 * are stored, and a handle refers to them.
 *
 * Invariant: memory holds at most `INLINE_MAX_BYTES` of a body, and at most `maxBytes` are ever read, counted after
 * decompression.
 */
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { decodeJson, handleOf, type Json } from '@woof/net';
import type { Blobs } from '../tool.ts';
import type { HttpReply } from './http-exchange.ts';

/** Larger bodies are not parsed: they would be copied several times until they reach an event. */
const INLINE_MAX_BYTES = 16 * 1024 * 1024;

export class BodyTooLarge extends Error {}

export type HttpBody = { data: Json; malformed?: string };

/** Not a promise if the body arrived with the headers and is a value, which is the usual case. */
export function readBody(reply: HttpReply, blobs: Blobs, maxBytes: number): HttpBody | Promise<HttpBody> {
  const type = String(reply.headers['content-type'] ?? '').toLowerCase();
  const isPlain = reply.headers['content-encoding'] === undefined;
  const arrived = isPlain ? reply.body.arrived(Math.min(maxBytes, INLINE_MAX_BYTES)) : undefined;
  return arrived ? inline(arrived, type, blobs, maxBytes) : readOn(reply, type, blobs, maxBytes);
}

async function readOn(reply: HttpReply, type: string, blobs: Blobs, maxBytes: number): Promise<HttpBody> {
  if (reply.headers['content-encoding'] === undefined) {
    const whole = await reply.body.whole(Math.min(maxBytes, INLINE_MAX_BYTES));
    if (whole) return inline(whole, type, blobs, maxBytes);
  }
  const source = bounded(decoded(reply), maxBytes)[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let size = 0;
  while (size <= INLINE_MAX_BYTES) {
    const { done, value } = await source.next();
    if (done) return inline(Buffer.concat(head), type, blobs, maxBytes);
    head.push(value);
    size += value.length;
  }
  const bytes = joined(head, source);
  if (isJson(type)) return { data: await blobs.put(bytes, { hint: hint(type), maxBytes }) };
  if (!isText(type) && !(type === '' && startsAsText(head)))
    return { data: handleOf(await blobs.put(bytes, { hint: hint(type), maxBytes })) };
  const text = { hint: { content_type: 'text/plain; charset=utf-8' }, maxBytes: 4 * maxBytes };
  return { data: await blobs.put(utf8(bytes, charset(type)), text) };
}

function inline(bytes: Buffer, type: string, blobs: Blobs, maxBytes: number): HttpBody | Promise<HttpBody> {
  if (bytes.length === 0) return { data: null };
  if (isJson(type)) return parsed(bytes);
  const text = isText(type)
    ? new TextDecoder(charset(type)).decode(bytes)
    : type === ''
      ? textOf(bytes)
      : undefined;
  if (text !== undefined) return { data: text };
  const stored = blobs.put(joined([bytes]), { hint: hint(type), maxBytes });
  return stored.then((reference) => ({ data: handleOf(reference) }));
}

function startsAsText(head: Uint8Array[]): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head[0], { stream: true });
    return !head[0]!.includes(0);
  } catch {
    return false;
  }
}

/** Stored text is UTF-8, whatever its original encoding. */
async function* utf8(bytes: AsyncIterable<Uint8Array>, label: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(label);
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/** A server that does not declare a type usually sends text. */
function textOf(bytes: Buffer): string | undefined {
  try {
    return bytes.includes(0) ? undefined : new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parsed(bytes: Buffer): HttpBody {
  const decoded = bytes.toString('utf8');
  const text = decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded;
  try {
    return { data: decodeJson(text) };
  } catch (error) {
    return { data: text, malformed: error instanceof Error ? error.message : String(error) };
  }
}

function decoded(reply: HttpReply): AsyncIterable<Uint8Array> {
  const inflate = decoder(String(reply.headers['content-encoding'] ?? '').toLowerCase());
  if (!inflate) return reply.body;
  // Without the callback, a broken stream would be an uncaught error. The reader sees the error too.
  return pipeline(reply.body, inflate, () => undefined);
}

function decoder(encoding: string): (NodeJS.ReadWriteStream & Readable) | undefined {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'deflate') return createInflate();
  if (encoding === 'br') return createBrotliDecompress();
  return undefined;
}

async function* bounded(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > maxBytes) throw new BodyTooLarge(`the body is larger than ${maxBytes} bytes`);
    yield chunk;
  }
}

async function* joined(head: Uint8Array[], rest?: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* head;
  if (rest) yield* { [Symbol.asyncIterator]: () => rest };
}

function hint(type: string): Json {
  return { content_type: type || 'application/octet-stream' };
}

function isJson(type: string): boolean {
  return /^[^;]*[/+]json\s*(;|$)/.test(type);
}

export function isText(type: string): boolean {
  return /^text\/|^application\/(.*\+)?(xml|javascript|ecmascript|x-www-form-urlencoded|yaml|x-yaml|x-ndjson|graphql)/.test(
    type,
  );
}

function charset(type: string): string {
  const label = /charset="?([\w-]+)/.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return 'utf-8';
  }
}
