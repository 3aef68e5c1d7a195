/**
 * The HTTP side of a server. Every call of the table in packages/protocol/src/http/calls.ts takes the same path.
 *
 * Owns: limits, the order access → schema → handler → audit, problems as responses. Does not own: what a call does
 * (resources/).
 */

import { randomUUID } from 'node:crypto';
import { decodeFinite, encodeJson } from '@woof/net';
import { BODY_LIMITS, Problem, type ProblemBody, problemBody, type RouteName } from '@woof/protocol';
import { CALLS, type CallDescription } from '@woof/protocol/http';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { AccessCheck, type AccessParts } from './access/access-check.ts';
import { ANYONE, type Who } from './access/tokens.ts';
import { untilRevoked } from './access/until-revoked.ts';
import { compressLarge } from './compressed.ts';
import { serveDocs } from './docs-site.ts';
import type { Call, Handler } from './handler.ts';
import type { LogFields } from './log/server-log.ts';
import { takeNotebooks } from './notebook-media.ts';
import type { Parts } from './parts.ts';
import { invalid, problemOf } from './problem-of.ts';
import { audit, secrets, tokens } from './resources/access.ts';
import { blobs } from './resources/blobs.ts';
import { changes } from './resources/changes.ts';
import { documents } from './resources/documents.ts';
import { executions } from './resources/executions.ts';
import { description, health } from './resources/health.ts';
import { login } from './resources/login.ts';
import { observe } from './resources/observe.ts';
import { schedules } from './resources/schedules.ts';
import { work } from './resources/work.ts';
import { workers } from './resources/workers.ts';
import { serveStudio } from './studio/serve-studio.ts';
import type { WorkbookPages } from './workbooks/workbook-pages.ts';

export interface Limits {
  /** Maximum bytes of a body. Those of workers carry results and may be larger. */
  body: number;
  workBody: number;
  /** Maximum time for the headers of a request, ms. */
  headersMs: number;
  /** Maximum time for a whole request to arrive, ms. */
  requestMs: number;
  connections: number;
  /** A listener that reads nothing for this long is disconnected, ms. */
  listenerMs: number;
}

export const LIMITS: Limits = {
  body: BODY_LIMITS.body,
  workBody: BODY_LIMITS.workBody,
  headersMs: 10_000,
  requestMs: 300_000,
  connections: 20_000,
  listenerMs: 30_000,
};

/** A page needs several requests, which are answered from memory. */
const PAGES = { role: 'anyone', unlimited: true } as const;

const NO_CALL = new Problem('not-found', 'no call has this method and path; see /openapi.json');

/** The maximum length of an `executionId` of the protocol. */
const LONGEST_PARAMETER = 400;

export interface AppOptions {
  parts: Parts;
  access: Pick<AccessParts, 'rate' | 'strangers'>;
  limits: Limits;
  onFault: (error: unknown) => void;
  /** The folder of the documentation site. */
  docs?: string | undefined;
  /** The folder of Studio. */
  studio?: string | undefined;
  /** Where the server shows workbooks. */
  workbooks?: WorkbookPages | undefined;
}

/** A handler for every call of the table by name: if one is missing, this does not compile. */
type AllHandlers = { [N in RouteName]: Handler<N> };

function handlersOf(parts: Parts): AllHandlers {
  return {
    ...health(parts),
    ...description(parts),
    ...documents(parts),
    ...executions(parts),
    ...changes(parts),
    ...blobs(parts),
    ...workers(parts),
    ...tokens(parts),
    ...login(parts),
    ...secrets(parts),
    ...audit(parts),
    ...schedules(parts),
    ...observe(parts),
    ...work(parts),
  };
}

export function createApp(options: AppOptions): FastifyInstance {
  const { parts, limits, onFault } = options;
  const app = fastify({
    bodyLimit: limits.body,
    // Ids of nested executions and paths of documents are longer than Fastify's default allows.
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    genReqId: () => randomUUID(),
    requestTimeout: limits.requestMs,
    forceCloseConnections: 'idle',
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    http: { headersTimeout: limits.headersMs, connectionsCheckingInterval: Math.min(5000, limits.headersMs) },
    // A URL that cannot be decoded arrives here before any hook or route.
    frameworkErrors: (error, request, reply) => {
      const tell = (problem: unknown) => refuse(reply, problemBody(problemOf(problem, onFault)));
      void (showPage(request, reply)?.catch(tell) ?? tell(error));
    },
    clientErrorHandler: (_error, socket) => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
    },
  });
  app.server.maxConnections = limits.connections;
  app.decorateRequest('who', null);
  app.decorateRequest('made', null);
  tellCalls(app, parts);
  if (options.workbooks) showWorkbooks(app, options.workbooks);
  keepApart(app);
  exactNumbers(app);
  compressLarge(app);
  // Text would be rejected as a body that is not an object, which hides the actual mistake.
  app.removeContentTypeParser('text/plain');
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
  takeNotebooks(app);
  app.setErrorHandler((error, _request, reply) => refuse(reply, problemBody(problemOf(error, onFault))));
  const access = new AccessCheck({ ...parts, ...options.access });
  const enter = (request: FastifyRequest) => access.enter(request, PAGES);
  serveDocs(app, options.docs, enter);
  const frames = () => options.workbooks?.frames;
  const showPage = serveStudio(app, { folder: options.studio, enter, frames });
  app.setNotFoundHandler((request, reply) => showPage(request, reply) ?? refuse(reply, problemBody(NO_CALL)));
  const handlers = handlersOf(parts);
  for (const name of Object.keys(CALLS) as RouteName[]) {
    addRoute(app, name, handlers[name] as Handler<RouteName>, { ...options, access });
  }
  return app;
}

/** Bodies carry exact numbers in both directions. */
function exactNumbers(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, decodeFinite(body as string));
    } catch (error) {
      done(error as Error);
    }
  });
  app.setReplySerializer((payload) => encodeJson(payload));
}

/** Workbooks have host names of their own, to which no call of the table responds, so they come first. */
function showWorkbooks(app: FastifyInstance, pages: WorkbookPages): void {
  app.addHook('onRequest', async (request, reply) => {
    if (await pages.answer(request.raw, reply.raw)) reply.hijack();
  });
}

/**
 * Responses are data, even if a logged-in browser navigates to their URL: they are not shown as a page of this server, and
 * no page of another origin can read them. Set early and on the response itself, so that streams have the headers too.
 */
function keepApart(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, { raw }, done) => {
    for (const [name, value] of Object.entries(DATA_HEADERS)) raw.setHeader(name, value);
    done();
  });
}

const DATA_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Counts and logs every call, whatever its result. */
function tellCalls(app: FastifyInstance, { metrics, log }: Parts): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    done();
    const { call = 'unknown' } = request.routeOptions.config as { call?: string };
    const { statusCode: status } = reply;
    metrics.request(call, status);
    const description = (CALLS as Record<string, CallDescription>)[call];
    const quiet = description === undefined || description.method === 'GET' || description.silent;
    const ms = Math.round(reply.elapsedTime);
    const fields = { call, status, ms, request_id: request.id, ...whom(request as Known, call) };
    if (quiet && status < 500) log.debug('call', fields);
    else log.info('call', fields);
  });
}

/** Who made the call and what it was about, as far as known. */
function whom(request: Known, call: string): LogFields {
  const { id } = (request.params ?? {}) as { id?: string };
  const { worker } = (request.body ?? {}) as { worker?: unknown };
  return {
    ...(request.who?.id ? { token_id: request.who.id } : {}),
    ...(id !== undefined && call.startsWith('executions.') ? { execution_id: id } : {}),
    ...(id !== undefined && call.startsWith('schedules.') ? { schedule_id: id } : {}),
    ...(typeof worker === 'string' && call.startsWith('work.') ? { worker } : {}),
  };
}

/** What the access check found out, kept with the request. */
type Known = FastifyRequest & { who: Who | null; made: string | null };

/** The id of what a call created, from its response. */
function madeBy(answer: unknown): string | null {
  const names = (answer ?? {}) as Record<string, unknown>;
  const made = MADE.map((field) => names[field]).find((name) => typeof name === 'string');
  return (made as string | undefined) ?? null;
}

const MADE = ['execution_id', 'schedule_id', 'id', 'path', 'sha256'];

function addRoute(
  app: FastifyInstance,
  name: RouteName,
  handler: Handler<RouteName>,
  { access, parts, limits, onFault }: Omit<AppOptions, 'access'> & { access: AccessCheck },
): void {
  const description: CallDescription = CALLS[name];
  app.route({
    method: description.method,
    url: description.path,
    config: { call: name },
    bodyLimit: description.role === 'worker' ? limits.workBody : limits.body,
    onRequest: async (request) => {
      (request as Known).who = await access.enter(request, description);
    },
    handler: async (request, reply) => {
      const call = read(request, reply, description, parts);
      reply.code(description.status ?? 200);
      const answer = await handler(call);
      (request as Known).made = madeBy(answer);
      if (reply.sent) return reply;
      return answer === undefined ? reply.code(204).send() : reply.send(answer);
    },
    onResponse: (request, reply, done) => {
      done();
      if (!leavesTrace(description, request) || reply.statusCode >= 400) return;
      parts.audit.write(entryOf(name, request as Known, reply, parts.now())).catch(onFault);
    },
  });
}

/** Only calls that support dry runs can be one. In other bodies, the field means nothing and must not hide the call. */
function leavesTrace({ method, silent, hasDryRun }: CallDescription, { body }: FastifyRequest): boolean {
  const isDryRun = hasDryRun && (body as { dry_run?: boolean } | undefined)?.dry_run === true;
  return method !== 'GET' && !silent && !isDryRun;
}

function read(
  request: FastifyRequest,
  reply: FastifyReply,
  { query, headers, body }: CallDescription,
  parts: Parts,
): Call<RouteName> {
  const who = (request as Known).who ?? ANYONE;
  refuseNul('the path', request.params);
  refuseNul('the query', request.query);
  if (body) {
    // Validated, not copied: the handler gets what JSON gave, whatever the keys are called.
    const checked = body.safeParse(request.body ?? undefined);
    if (!checked.success) throw invalid('the body', checked.error);
  }
  return {
    params: request.params,
    query: query ? parsed('the query', query, request.query) : undefined,
    headers: headers ? parsed('the headers', headers, request.headers) : undefined,
    body: request.body ?? undefined,
    who,
    signIn: (as: Who) => {
      (request as Known).who = as;
    },
    get signal() {
      return endOf(reply, who, parts);
    },
    raw: request.raw,
    reply,
  } as unknown as Call<RouteName>;
}

/** No name contains NUL, and not every store can search for it. */
function refuseNul(where: string, values: unknown): void {
  const holds = Object.values(values ?? {}).some((value) => String(value).includes('\0'));
  if (holds) throw new Problem('request/invalid', `${where} contains a NUL character`);
}

/** Created only on demand: most calls end by themselves. */
function endOf(reply: FastifyReply, { session }: Who, { stopped, sessions }: Parts): AbortSignal {
  const over = new AbortController();
  const end = () => over.abort();
  stopped.addEventListener('abort', end, { once: true });
  reply.raw.once('close', () => {
    stopped.removeEventListener('abort', end);
    end();
  });
  if (stopped.aborted) end();
  if (session === undefined) return over.signal;
  const loggedIn = untilRevoked(sessions, session, over.signal);
  over.signal.addEventListener('abort', loggedIn.end, { once: true });
  return loggedIn.signal;
}

function parsed(where: string, schema: NonNullable<CallDescription['query']>, value: unknown): unknown {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw invalid(where, checked.error);
}

function refuse(reply: FastifyReply, body: ProblemBody): FastifyReply {
  if (body.status === 429) reply.header('retry-after', String(body.retry_after_s ?? 1));
  // Do not wait for the rest of a body that nobody reads.
  if (!reply.request.raw.complete) reply.header('connection', 'close');
  return reply.code(body.status).type('application/problem+json').send(body);
}

function entryOf(name: RouteName, request: Known, reply: FastifyReply, at: number) {
  const { id, name: called, role } = request.who ?? ANYONE;
  const [named] = Object.values((request.params ?? {}) as Record<string, string>);
  // A login is answered with the caller's own id. It has created nothing.
  const made = request.made === id ? undefined : request.made;
  const target = named ?? made ?? undefined;
  return {
    at,
    who: id === '' ? '' : `${id} ${called}`,
    role,
    what: name,
    from: request.ip,
    status: reply.statusCode,
    ...(target === undefined ? {} : { target }),
  };
}
