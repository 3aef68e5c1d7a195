/**
 * Studio, as `npm run build` made it: its page at `/` and at every address that nothing else of the server has, its assets
 * under /studio/. Anyone may read them; what they show, they ask the API for.
 *
 * Invariants: the page is the same whatever its address says, and no address leads anywhere else.
 */
import { Problem } from '@woof/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { filesOf, type StaticFiles, sendCurrent, TEXT } from '../static-files.ts';
import { studioHeaders } from './studio-headers.ts';

const INDEX = 'index.html';
/** Programs call these, whatever they accept. */
const NOT_A_PAGE = /^\/(v1|docs|studio|workbooks)(\/|$)/;
/** `NAME-HASH.EXT`: another content has another name. */
const HASHED = /-[\w-]{8,}\.\w+$/;
const FOREVER = 'public, max-age=31536000, immutable';

const NOT_BUILT = `This build of Woof does not include Studio. In a clone of Woof, run

    npm run build

and load this page again. The API works without it; /docs has the documentation.
`;

export interface StudioOptions {
  /** Where it was built. */
  folder: string | undefined;
  /** Admits a request or throws. */
  enter: (request: FastifyRequest) => Promise<unknown>;
  /** Where its pages may show frames from. */
  frames: () => string | undefined;
}

/** Answers a request for a page; undefined if it was for something else. */
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
