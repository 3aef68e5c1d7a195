/** From a task's fields to one signed request; no message here shows a secret. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { encodeJson, type Json, type JsonObject, referenceIn } from '@woof/net';
import {
  booleanField,
  FieldFault,
  fault,
  numberField,
  objectField,
  textField,
  wordField,
} from '../fields.ts';
import type { HttpRequest } from '../http/http-request.ts';
import type { Blobs, ToolCall } from '../tool.ts';
import { type AwsCredentials, signedHeaders } from './signed-headers.ts';

const ACTIONS = ['get', 'put', 'head', 'list', 'delete'] as const;
export type S3Action = (typeof ACTIONS)[number];

export interface S3Task {
  action: S3Action;
  bucket: string;
  key: string;
  prefix: string;
  limit: number;
  endpoint: URL;
  region: string;
  credentials: AwsCredentials;
  data: Json | undefined;
  contentType: string | undefined;
  seconds: number | undefined;
  maxBytes: number;
  verifySsl: boolean;
}

const GIB = 1024 ** 3;

export function toTask({ input, spec }: Pick<ToolCall, 'input' | 'spec'>): S3Task {
  const key = textField(input, 'key') ?? '';
  const action = (wordField(input, 'action', ACTIONS) ?? guess(input, key)) as S3Action;
  const bucket = textField(input, 'bucket') ?? '';
  if (!/^[A-Za-z0-9._-]{1,255}$/.test(bucket)) throw fault('bucket', 'the name of a bucket', bucket);
  if (action !== 'list' && key === '') throw new FieldFault(`"key" is missing: ${action} needs an object`);
  if (/(^|\/)\.\.?(\/|$)|\0/.test(key)) throw fault('key', 'a key without "." or ".." between slashes', key);
  if (action === 'put' && input.data === undefined)
    throw new FieldFault('"data" is missing: put needs a value');
  const region = textField(input, 'region') ?? 'us-east-1';
  return {
    action,
    bucket,
    key,
    prefix: textField(input, 'prefix') ?? '',
    limit: numberField(input, 'limit', 1) ?? 1000,
    endpoint: endpointOf(input, region),
    region,
    credentials: credentialsOf(input),
    data: input.data,
    contentType: textField(input, 'content_type'),
    seconds: numberField(input, 'timeout') ?? numberField(spec, 'timeout'),
    maxBytes: numberField(input, 'max_bytes', 1) ?? GIB,
    verifySsl: booleanField(input, 'verify_ssl') ?? true,
  };
}

function guess(input: JsonObject, key: string): S3Action {
  return input.data !== undefined ? 'put' : key === '' ? 'list' : 'get';
}

function endpointOf(input: JsonObject, region: string): URL {
  const text = textField(input, 'endpoint') ?? `https://s3.${region}.amazonaws.com`;
  if (URL.canParse(text) && /^https?:\/\//.test(text)) return new URL(text);
  throw fault('endpoint', 'an absolute http or https address', text);
}

function credentialsOf(input: JsonObject): AwsCredentials {
  const auth = objectField(input, 'auth') ?? {};
  const accessKeyId = textField(auth, 'access_key_id') ?? textField(auth, 'access_key');
  const secretAccessKey = textField(auth, 'secret_access_key') ?? textField(auth, 'secret_key');
  const sessionToken = textField(auth, 'session_token');
  if (!accessKeyId || !secretAccessKey) {
    throw new FieldFault(
      '"auth" must have access_key_id and secret_access_key, for example "{{ keychain.store }}"',
    );
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

interface Body {
  sha256: string;
  size: number;
  type: string;
  content: string | Readable;
}

/** A reference has its checksum, so nothing is read twice. */
function bodyOf(data: Json, contentType: string | undefined, blobs: Blobs): Body {
  const reference = referenceIn(data);
  if (reference) {
    const content = Readable.from(blobs.get(reference), { objectMode: false });
    const type = contentType ?? storedType(reference.schema_hint);
    return { sha256: reference.checksum.replace(/^sha256:/, ''), size: reference.size, type, content };
  }
  const isText = typeof data === 'string';
  const content = isText ? data : encodeJson(data);
  const type = contentType ?? (isText ? 'text/plain; charset=utf-8' : 'application/json');
  return { sha256: sha256(content), size: Buffer.byteLength(content), type, content };
}

function storedType(hint: Json): string {
  const { content_type, type } = (hint ?? {}) as JsonObject;
  if (typeof content_type === 'string') return content_type;
  return type === 'list' || type === 'object' ? 'application/json' : 'application/octet-stream';
}

const METHODS = { get: 'GET', put: 'PUT', head: 'HEAD', list: 'GET', delete: 'DELETE' } as const;

export async function toRequest(
  task: S3Task,
  blobs: Blobs,
  now: number,
  continuation?: string,
): Promise<HttpRequest> {
  const method = METHODS[task.action];
  const body = task.action === 'put' ? bodyOf(task.data as Json, task.contentType, blobs) : undefined;
  const url = urlOf(task, continuation);
  const plain: Record<string, string> = body
    ? { 'content-length': String(body.size), 'content-type': body.type }
    : { accept: '*/*' };
  const { region, credentials } = task;
  const bodySha256 = body?.sha256 ?? sha256('');
  const at = new Date(now);
  const headers = await signedHeaders({ method, url, headers: plain, bodySha256, region, at }, credentials);
  return {
    method,
    url,
    headers,
    ownHeaders: {},
    ...(body === undefined ? {} : { body: body.content }),
    connectMs: 10_000,
    readMs: 300_000,
    followRedirects: false,
    verifySsl: task.verifySsl,
    maxBytes: task.maxBytes,
  };
}

function urlOf({ endpoint, bucket, key, action, prefix, limit }: S3Task, continuation?: string): URL {
  const url = new URL(endpoint);
  const path = action === 'list' ? [bucket] : [bucket, ...key.split('/')];
  url.pathname = `${endpoint.pathname.replace(/\/$/, '')}/${path.map(uriEncode).join('/')}`;
  if (action !== 'list') return url;
  url.searchParams.set('list-type', '2');
  url.searchParams.set('max-keys', String(Math.min(limit, 1000)));
  if (prefix !== '') url.searchParams.set('prefix', prefix);
  if (continuation !== undefined) url.searchParams.set('continuation-token', continuation);
  return url;
}

/** As S3 requires: encodes everything except letters, digits and `-._~`. */
function uriEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
