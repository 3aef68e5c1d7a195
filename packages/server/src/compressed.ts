/** Compresses large, mostly textual responses for callers that accept it, without blocking other calls. */
import { constants, createGzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const CALLS: ReadonlySet<string> = new Set(['executions.events', 'executions.state', 'plans.get']);
/** The number of characters from which compression is worth its cost. */
const LARGE = 64 * 1024;

export function compressLarge(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < LARGE || !isMeant(request)) return payload;
    return compressed(reply, payload);
  });
}

function isMeant({ routeOptions, headers }: FastifyRequest): boolean {
  const { call = '' } = routeOptions.config as { call?: string };
  return (
    CALLS.has(call) && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(headers['accept-encoding']))
  );
}

function compressed(reply: FastifyReply, text: string): NodeJS.ReadableStream {
  reply.header('content-encoding', 'gzip').header('vary', 'accept-encoding').removeHeader('content-length');
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  gzip.end(text);
  return gzip;
}
