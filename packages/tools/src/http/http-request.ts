/** From a task's fields to one request: pure, without network access. */
import type { Readable } from 'node:stream';
import { encodeJson, isObject, type Json, type JsonObject } from '@woof/net';
import {
  booleanOf,
  FieldFault,
  fault,
  isGiven,
  numberOf,
  objectOf,
  quoted,
  textMapField,
  textOf,
} from '../fields.ts';
import type { ToolCall } from '../tool.ts';
import { authHeaders } from './http-auth.ts';

export interface HttpRequest {
  method: string;
  url: URL;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Headers that are not from the document. Any other may contain a secret, and does not follow to another origin. */
  ownHeaders: Record<string, string>;
  body?: string | Readable;
  totalMs?: number;
  connectMs: number;
  readMs: number;
  followRedirects: boolean;
  verifySsl: boolean;
  maxBytes: number;
}

const GIB = 1024 ** 3;

/** Reads fields by constant names: V8 has to look up names in variables each time. */
export function toRequest(call: ToolCall): HttpRequest {
  const { input, spec } = call;
  const method = (textOf(input.method, 'method') ?? 'GET').toUpperCase();
  // CONNECT requests a tunnel, which has no reply that a task could return.
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT')
    throw fault('method', 'an HTTP method such as GET or POST', method);
  const url = toUrl(input);
  const auth = isGiven(input.auth) || url.username || url.password ? authOf(url, input.auth) : undefined;
  const ownHeaders = baseHeaders(call, method);
  const headers = { ...ownHeaders, ...auth };
  if (isGiven(input.headers)) Object.assign(headers, lowerCase(textMapField(input, 'headers')));
  const body = toBody(input, headers);
  const total = numberOf(input.timeout, 'timeout') ?? numberOf(spec.timeout, 'timeout');
  const limits = objectOf(spec.http, 'http');
  const timeouts = objectOf(limits?.timeout, 'timeout');
  const request: HttpRequest = {
    method,
    url,
    headers,
    ownHeaders,
    connectMs: (numberOf(timeouts?.connect, 'connect') ?? 10) * 1000,
    readMs: (numberOf(timeouts?.read, 'read') ?? total ?? 300) * 1000,
    followRedirects: booleanOf(input.follow_redirects, 'follow_redirects') ?? true,
    verifySsl: booleanOf(input.verify_ssl, 'verify_ssl') ?? true,
    maxBytes: numberOf(limits?.max_bytes, 'max_bytes') ?? GIB,
  };
  if (body !== undefined) request.body = body;
  if (total) request.totalMs = total * 1000;
  return request;
}

function toUrl(input: JsonObject): URL {
  const text = textOf(input.url, 'url') ?? textOf(input.endpoint, 'endpoint');
  if (!text) throw new FieldFault('"url" is missing: write an absolute http or https URL');
  const url = parsed(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const shown = quoted(text.split('?', 1)[0] ?? '');
    throw new FieldFault(`"url" must be an absolute http or https URL, got ${shown}`);
  }
  const params = objectOf(input.params, 'params');
  for (const [key, value] of params ? Object.entries(params) : []) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null) url.searchParams.append(key, asText(item));
    }
  }
  return url;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function authOf(url: URL, auth: Json | undefined): Record<string, string> {
  return { ...userinfoOf(url), ...authHeaders(auth) };
}

/** The URL loses its userinfo here, so that no later message can show it. */
function userinfoOf(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const username = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  url.username = '';
  url.password = '';
  return authHeaders({ type: 'basic', username, password });
}

function baseHeaders(call: ToolCall, method: string): Record<string, string> {
  const headers: Record<string, string> = {
    accept: '*/*',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': 'woof',
  };
  if (method !== 'GET' && method !== 'HEAD') headers['idempotency-key'] = call.idempotencyKey;
  return headers;
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function toBody(input: JsonObject, headers: Record<string, string>): string | undefined {
  const { payload, body, json, form: fields, data } = input;
  if (!isGiven(payload ?? body ?? json ?? fields ?? data)) return undefined;
  const all = Object.entries({ payload, body, json, form: fields, data });
  const [[field, value], second] = all.filter(([, each]) => isGiven(each)) as [[string, Json], [string]?];
  if (second) throw new FieldFault(`"${field}" and "${second[0]}" both set the body: keep one`);
  const type = headers['content-type'] ?? '';
  if (field === 'form' || (isObject(value) && type.startsWith('application/x-www-form-urlencoded'))) {
    headers['content-type'] ??= 'application/x-www-form-urlencoded';
    return form(objectOf(value, field) ?? {});
  }
  if (typeof value === 'string' && field !== 'json') {
    headers['content-type'] ??= 'text/plain; charset=utf-8';
    return value;
  }
  headers['content-type'] ??= 'application/json';
  return encodeJson(value);
}

function form(fields: JsonObject): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null) search.append(key, asText(item));
    }
  }
  return search.toString();
}

function asText(value: Json): string {
  return typeof value === 'object' ? encodeJson(value) : String(value);
}
