/** Serves the documentation that `npm run docs:site` built at /docs. Anyone may read it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { filesOf, type StaticFiles, sendCurrent, sendFile, TEXT } from './static-files.ts';

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
};

const NOT_BUILT = `The documentation is not built. In a clone of Woof, run

    npm run docs:site

and load this page again. /docs/api is a page to try the calls of this server.
`;

/** `enter` admits a request or throws. */
export function serveDocs(
  app: FastifyInstance,
  folder: string | undefined,
  enter: (request: FastifyRequest) => Promise<unknown>,
): void {
  const siteOf = filesOf(folder);
  const options = {
    config: { call: 'docs.site' },
    onRequest: async (request: FastifyRequest) => {
      await enter(request);
    },
  };
  app.get('/docs', options, (_request, reply) => reply.redirect('/docs/', 308));
  app.get('/docs/*', options, (request, reply) => {
    const { '*': name } = request.params as { '*': string };
    return answer(request, reply.headers(HEADERS), siteOf(), name === '' ? 'index.html' : name);
  });
}

function answer(request: FastifyRequest, reply: FastifyReply, site: StaticFiles, name: string): FastifyReply {
  const found = site.get(name);
  if (found !== undefined) return sendCurrent(request, reply, found);
  const missing = site.get('404.html');
  reply.code(404);
  return missing === undefined ? reply.type(TEXT).send(NOT_BUILT) : sendFile(request, reply, missing);
}
