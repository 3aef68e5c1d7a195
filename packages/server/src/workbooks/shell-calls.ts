/** The shell page and its calls over HTTP, shared by `woof open` and the server. The caller decides who may call. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PERMISSIONS, type Permission } from '@woof/documents/workbook';
import { COMMON_HEADERS } from './frame-policy.ts';
import { KEPT_LIMITS } from './kept-values.ts';
import type { PersistRequest } from './shell-api.ts';
import { shellPage } from './shell-page.ts';
import { failureOf, type Opened, Refusal, refuse, type WorkbookHost } from './workbook-host.ts';

/** A value as JSON, if every character must be escaped. */
const MOST_BODY_BYTES = 6 * KEPT_LIMITS.valueBytes + 65_536;

const PERSIST_CALLS = ['persist.get', 'persist.set', 'persist.delete', 'persist.keys'];

export function sendShell(
  host: WorkbookHost,
  script: string,
  frames: readonly string[],
  response: ServerResponse,
): void {
  const { html, headers } = shellPage(script, [...frames, host.probeOrigin]);
  response.writeHead(200, headers).end(html);
}

/** A known caller: for which workbook, and the origin of its page. */
export interface Caller {
  opened: Opened;
  shellOrigin: string;
}

/** `call`: what follows `api/`. */
export async function answerCall(
  host: WorkbookHost,
  caller: Caller,
  call: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = call === 'facts' ? 'GET' : 'POST';
  if (request.method !== method) return refuse(response, 405, `call ${call} with ${method}`);
  try {
    sendJson(response, 200, await perform(host, caller, call, request));
  } catch (error) {
    sendJson(response, 400, failureOf(error));
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { ...COMMON_HEADERS, 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function perform(
  host: WorkbookHost,
  { opened, shellOrigin }: Caller,
  call: string,
  request: IncomingMessage,
): Promise<unknown> {
  if (call === 'facts') return host.facts(opened);
  const body = await bodyOf(request);
  if (call === 'run') return host.run(opened, shellOrigin);
  if (call === 'loads') return host.loads(String(body.ticket), opened);
  if (call === 'persist') return host.persist(persistRequest(body), opened);
  if (call === 'grant') await host.grant(opened, permissionsIn(body));
  else if (call === 'revoke') await host.revoke(opened);
  else throw new Refusal('invalid', 'there is no such call');
  return {};
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES) throw new Refusal('too-large', 'the request is too large');
    chunks.push(chunk);
  }
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Refusal('invalid', 'expected JSON');
  }
  if (typeof body !== 'object' || body === null) throw new Refusal('invalid', 'expected an object');
  return body as Record<string, unknown>;
}

function permissionsIn({ permissions }: Record<string, unknown>): Permission[] {
  if (!Array.isArray(permissions)) throw new Refusal('invalid', 'permissions must be a list');
  return PERMISSIONS.filter((permission) => permissions.includes(permission));
}

function persistRequest({ ticket, call, args }: Record<string, unknown>): PersistRequest {
  const isGood =
    typeof ticket === 'string' &&
    Array.isArray(args) &&
    PERSIST_CALLS.includes(call as PersistRequest['call']);
  if (!isGood) throw new Refusal('invalid', 'expected ticket, call and args');
  return { ticket, call: call as PersistRequest['call'], args };
}
