/**
 * A folder of files that were built with Woof and are sent unchanged.
 *
 * Every file is read once and looked up by its name, so that no address can reach any other file. `NAME.br` and
 * `NAME.gz` are compressed forms of NAME, which may exist beside NAME or instead of it.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

type Coding = 'br' | 'gzip' | 'identity';

export interface StaticFile {
  type: string;
  etag: string;
  forms: Map<Coding, Buffer>;
}

export type StaticFiles = ReadonlyMap<string, StaticFile>;

export const TEXT = 'text/plain; charset=utf-8';
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};
const CODINGS: Record<string, Coding> = { '.br': 'br', '.gz': 'gzip' };

/** Looks again if the folder was empty or did not exist. */
export function filesOf(folder: string | undefined): () => StaticFiles {
  let files: StaticFiles = new Map();
  return () => {
    if (files.size === 0 && folder !== undefined) files = readFiles(folder);
    return files;
  };
}

/** Sends 304 if the caller has the file already, otherwise the file with the status of the reply. */
export function sendCurrent(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  reply.header('etag', file.etag);
  return isCurrent(request, file.etag) ? reply.code(304).send() : sendFile(request, reply, file);
}

/** Sends the smallest form that the caller accepts. */
export function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  const { forms, type } = file;
  reply.type(type);
  const coding = (['br', 'gzip'] as const).find((each) => forms.has(each) && isAccepted(request, each));
  if (coding === undefined) return reply.send(plainOf(file));
  return reply.header('content-encoding', coding).send(forms.get(coding));
}

/** A quality of 0 is a refusal. */
function isAccepted({ headers }: FastifyRequest, wanted: Coding): boolean {
  const codings = String(headers['accept-encoding'] ?? '').toLowerCase();
  return codings.split(',').some((each) => {
    const [coding = '', ...parameters] = each.split(';').map((part) => part.trim());
    return coding.replace(/^x-/, '') === wanted && !parameters.some((part) => /^q=0(\.0*)?$/.test(part));
  });
}

function isCurrent({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match'] ?? '';
  return known === '*' || known.split(',').some((each) => each.trim() === etag);
}

/** Anyone may request a file, so each file is decompressed only once. */
function plainOf({ forms }: StaticFile): Buffer {
  const plain = forms.get('identity') ?? unpacked(forms);
  forms.set('identity', plain);
  return plain;
}

function unpacked(forms: StaticFile['forms']): Buffer {
  const packed = forms.get('gzip');
  return packed ? gunzipSync(packed) : brotliDecompressSync(forms.get('br')!);
}

function readFiles(folder: string): StaticFiles {
  const files = new Map<string, StaticFile>();
  for (const stored of namesIn(folder)) {
    const coding = CODINGS[extname(stored)] ?? 'identity';
    const name = coding === 'identity' ? stored : stored.slice(0, -extname(stored).length);
    const body = readFileSync(join(folder, stored));
    const file = files.get(name) ?? {
      type: TYPES[extname(name)] ?? TEXT,
      etag: etagOf(body),
      forms: new Map(),
    };
    files.set(name, file);
    file.forms.set(coding, body);
  }
  return files;
}

/** A weak ETag, because the same file may be sent compressed or uncompressed. */
function etagOf(body: Buffer): string {
  return `W/"${createHash('sha256').update(body).digest('base64url')}"`;
}

function namesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
