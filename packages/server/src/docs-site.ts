/**
 * The documentation, as `npm run docs:site` made it, at /docs.
 *
 * Every file of the folder is read once and found by its name, so that no address leads to another file. Anyone may read
 * it. What ends in `.gz` was compressed when Woof was packaged, and is the file without that ending.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

interface SiteFile {
  /** Absent if it was not compressed. */
  packed?: Buffer;
  plain(): Buffer;
  type: string;
  etag: string;
}

const TEXT = 'text/plain; charset=utf-8';
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

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
  const siteOf = readOnce(folder);
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

function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  site: ReadonlyMap<string, SiteFile>,
  name: string,
): FastifyReply {
  const found = site.get(name);
  const file = found ?? site.get('404.html');
  if (file === undefined) return reply.code(404).type(TEXT).send(NOT_BUILT);
  if (found === undefined) reply.code(404);
  else reply.header('etag', found.etag);
  if (found !== undefined && isCurrent(request, found.etag)) return reply.code(304).send();
  reply.type(file.type);
  if (file.packed === undefined || !takesGzip(request)) return reply.send(file.plain());
  return reply.header('content-encoding', 'gzip').send(file.packed);
}

/** A quality of 0 is a refusal. */
function takesGzip({ headers }: FastifyRequest): boolean {
  const codings = String(headers['accept-encoding'] ?? '').toLowerCase();
  return codings.split(',').some((each) => {
    const [coding = '', ...parameters] = each.split(';').map((part) => part.trim());
    return /^(x-)?gzip$/.test(coding) && !parameters.some((part) => /^q=0(\.0*)?$/.test(part));
  });
}

function isCurrent({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match'] ?? '';
  return known === '*' || known.split(',').some((each) => each.trim() === etag);
}

/** A site that is not there yet is looked for again. */
function readOnce(folder: string | undefined): () => ReadonlyMap<string, SiteFile> {
  let site: ReadonlyMap<string, SiteFile> = new Map();
  return () => {
    if (site.size === 0 && folder !== undefined) site = readSite(folder);
    return site;
  };
}

function readSite(folder: string): Map<string, SiteFile> {
  return new Map(namesIn(folder).map((name) => [name.replace(/\.gz$/, ''), readSiteFile(folder, name)]));
}

function namesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readSiteFile(folder: string, name: string): SiteFile {
  const body = readFileSync(join(folder, name));
  const type = TYPES[extname(name.replace(/\.gz$/, ''))] ?? TEXT;
  // The same file may be sent compressed or not, so it is equal only in meaning.
  const etag = `W/"${createHash('sha256').update(body).digest('base64url')}"`;
  if (!name.endsWith('.gz')) return { plain: () => body, type, etag };
  return { packed: body, plain: unpackedOnce(body), type, etag };
}

/** Anyone may ask, so each file costs this work once. */
function unpackedOnce(packed: Buffer): () => Buffer {
  let plain: Buffer | undefined;
  return () => {
    plain ??= gunzipSync(packed);
    return plain;
  };
}
