/** One object, or a list of them, in an S3-compatible store. Retries are up to the policy. */
import { ARROW_STREAM } from '@woof/arrow';
import { type ErrorKind, failure, type Json, type JsonObject, type Outcome } from '@woof/net';
import { Deadline } from '../deadline.ts';
import { isText, readBody } from '../http/http-body.ts';
import { HttpExchange, type HttpReply } from '../http/http-exchange.ts';
import { kindOfStatus, networkFailure, retryAfterSeconds } from '../http/http-failure.ts';
import type { HttpRequest } from '../http/http-request.ts';
import { jsonReference } from '../json-bytes.ts';
import { abortOutcome, settle } from '../settle.ts';
import type { Tool, ToolCall, ToolContext } from '../tool.ts';
import { type S3Task, toRequest, toTask } from './s3-request.ts';
import { s3Schema } from './s3-schema.ts';

const MAX_XML_BYTES = 16 * 1024 * 1024;

export function createS3Tool(): Tool {
  const exchange = new HttpExchange();
  return {
    schema: s3Schema,
    run: (call, context) => settle('s3', context.signal, () => perform(call, context, exchange)),
    close: () => exchange.close(),
  };
}

async function perform(call: ToolCall, context: ToolContext, exchange: HttpExchange): Promise<Outcome> {
  const given = toTask(call);
  const isAsked = given.contentType === ARROW_STREAM;
  const task = isAsked ? given : { ...given, data: await jsonReference(given.data, context.blobs) };
  const deadline = new Deadline(context.signal, task.seconds);
  const { signal } = deadline;
  let wanted: HttpRequest | undefined;
  const send = async (continuation?: string) => {
    wanted = await toRequest(task, context.blobs, context.now(), continuation);
    return exchange.send(wanted, { signal });
  };
  try {
    return await (task.action === 'list' ? list(task, send) : one(task, context, send, () => wanted!));
  } catch (error) {
    if (context.signal.aborted) return abortOutcome(context.signal);
    if (deadline.passed)
      return failure('timeout', `s3 ${placeOf(task)}: did not finish within ${task.seconds} s`);
    if (wanted === undefined) throw error;
    const outcome = networkFailure(wanted, error);
    return { ...outcome, error: { ...outcome.error!, message: `s3 ${outcome.error!.message}` } };
  } finally {
    deadline.clear();
  }
}

type Send = (continuation?: string) => Promise<HttpReply>;

async function one(
  task: S3Task,
  context: ToolContext,
  send: Send,
  sent: () => HttpRequest,
): Promise<Outcome> {
  const reply = await send();
  if (reply.status >= 300) return refused(task, reply, context.now());
  const { bucket, key } = task;
  // The reply to `put` has its own size and type.
  const headers = task.action === 'put' ? { ...sent().headers, etag: reply.headers.etag } : reply.headers;
  const meta = metaOf(headers);
  const about: JsonObject = { bucket, key, uri: `s3://${bucket}/${key}`, ...meta };
  if (task.action !== 'get') {
    await reply.body.dump();
    return { status: 'ok', result: about };
  }
  const { data } = await readBody(reply, context.blobs, task.maxBytes);
  const isEmptyText = data === null && isText(String(meta.content_type ?? 'text/plain').toLowerCase());
  return { status: 'ok', result: { ...about, data: isEmptyText ? '' : data } };
}

function metaOf(headers: Record<string, string | string[] | undefined>): JsonObject {
  const meta: JsonObject = {};
  if (typeof headers.etag === 'string') meta.etag = headers.etag.replaceAll('"', '');
  if (typeof headers['content-type'] === 'string') meta.content_type = headers['content-type'];
  if (headers['content-length'] !== undefined) meta.size = Number(headers['content-length']);
  return meta;
}

export async function list(task: S3Task, send: Send): Promise<Outcome> {
  const objects: Json[] = [];
  let continuation: string | undefined;
  do {
    const reply = await send(continuation);
    if (reply.status >= 300) return refused(task, reply, Date.now());
    const text = await textOf(reply);
    for (const [, entry = ''] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs))
      objects.push(objectOf(entry));
    continuation = tag(text, 'IsTruncated') === 'true' ? tag(text, 'NextContinuationToken') : undefined;
  } while (continuation !== undefined && objects.length < task.limit);
  const kept = objects.slice(0, task.limit);
  const isTruncated = continuation !== undefined || kept.length < objects.length;
  return {
    status: 'ok',
    result: {
      bucket: task.bucket,
      prefix: task.prefix,
      objects: kept,
      count: kept.length,
      truncated: isTruncated,
    },
  };
}

function objectOf(entry: string): JsonObject {
  return {
    key: tag(entry, 'Key') ?? '',
    size: Number(tag(entry, 'Size') ?? 0),
    etag: (tag(entry, 'ETag') ?? '').replaceAll('"', ''),
    last_modified: tag(entry, 'LastModified') ?? '',
  };
}

const KINDS: Record<string, ErrorKind> = {
  NoSuchKey: 'not_found',
  NoSuchBucket: 'not_found',
  AccessDenied: 'auth',
  InvalidAccessKeyId: 'auth',
  SignatureDoesNotMatch: 'auth',
  RequestTimeTooSkewed: 'auth',
  ExpiredToken: 'auth',
  SlowDown: 'rate_limit',
  RequestTimeout: 'timeout',
};

export async function refused(task: S3Task, reply: HttpReply, now: number): Promise<Outcome> {
  const text = await textOf(reply);
  const code = tag(text, 'Code') ?? '';
  const kind = KINDS[code] ?? kindOfStatus(reply.status);
  const why = [code || `status ${reply.status}`, tag(text, 'Message')].filter(Boolean).join(': ');
  const retryAfter = retryAfterSeconds(reply.headers['retry-after'], now);
  return failure(kind, `s3 ${task.action} ${placeOf(task)}: ${why}`, {
    http_status: reply.status,
    code: code || reply.status,
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
  });
}

function placeOf({ endpoint, bucket, key }: S3Task): string {
  return `${endpoint.origin}/${bucket}${key === '' ? '' : `/${key}`}`;
}

async function textOf(reply: HttpReply): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of reply.body) {
    size += (part as Uint8Array).length;
    if (size > MAX_XML_BYTES) break;
    parts.push(part as Uint8Array);
  }
  return Buffer.concat(parts).toString('utf8');
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function tag(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, decimal, hex, word: string) => {
    if (decimal) return String.fromCodePoint(Number(decimal));
    if (hex) return String.fromCodePoint(Number.parseInt(hex as string, 16));
    return ENTITIES[word] ?? whole;
  });
}
