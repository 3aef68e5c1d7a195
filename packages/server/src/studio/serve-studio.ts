/**
 * Serves Studio as `npm run build` built it: its page at `/` and at every address that the server does not use
 * otherwise, its assets under /studio/. Anyone may read them; the data that they show comes from the API.
 *
 * Invariants: the page is the same for every address, and no address reaches any other file.
 */
import { Problem } from '@woof/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { filesOf, type StaticFiles, sendCurrent, TEXT } from '../static-files.ts';
import { studioHeaders } from './studio-headers.ts';

const INDEX = 'index.html';
/** Programs call these, whatever their Accept header says. */
const NOT_A_PAGE = /^\/(v1|docs|studio|workbooks)(\/|$)/;
/** `NAME-HASH.EXT`: different content has a different name. */
const HASHED = /-[\w-]{8,}\.\w+$/;
const FOREVER = 'public, max-age=31536000, immutable';

const NOT_BUILT = `This build of Woof does not include Studio. In a clone of Woof, run

    npm run build

and load this page again. The API works without it; /docs has the documentation.
`;

export interface StudioOptions {
  /** The folder that it was built into. */
  folder: string | undefined;
  /** Admits a request or throws. */
  enter: (request: FastifyRequest) => Promise<unknown>;
  /** The origins that its pages may show in frames. */
  frames: () => string | undefined;
}

/** Answers a request for a page; returns undefined if the request was for something else. */
export type ShowPage = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> | undefined;

export function serveStudio(app: FastifyInstance, { folder, enter, frames }: StudioOptions): ShowPage {
  const files = filesOf(folder);
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    await enter(request);
    return page(request, reply.headers(studioHeaders(frames())), files());
  };
  const config = { call: 'studio.page' };
  app.get('/', { config }, show);
  app.get('/studio/*', { config: { call: 'studio.asset' } }, async (request, reply) => {
    await enter(request);
    return asset(request, reply.headers(studioHeaders(frames())), files());
  });
  return (request, reply) => (isPage(request) ? show(request, reply) : undefined);
}

function isPage({ method, url, headers }: FastifyRequest): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && /\btext\/html\b/i.test(headers.accept ?? '') && !NOT_A_PAGE.test(url.split('?')[0]!);
}

function page(request: FastifyRequest, reply: FastifyReply, files: StaticFiles): FastifyReply {
  const index = files.get(INDEX);
  reply.header('cache-control', 'no-store').header('vary', 'accept, accept-encoding');
  if (index === undefined) return reply.code(404).type(TEXT).send(NOT_BUILT);
  return sendCurrent(request, reply.code(200), index);
}

function asset(request: FastifyRequest, reply: FastifyReply, files: StaticFiles): FastifyReply {
  const { '*': name } = request.params as { '*': string };
  const file = name === INDEX ? undefined : files.get(name);
  if (file === undefined)
    throw new Problem('not-found', 'this version of Studio has no such file; reload the page');
  reply.header('cache-control', HASHED.test(name) ? FOREVER : 'no-cache').header('vary', 'accept-encoding');
  return sendCurrent(request, reply, file);
}
