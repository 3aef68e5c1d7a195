/**
 * Whether the server is alive and ready, and the description of its API.
 *
 * Calls: packages/protocol/src/http/calls.ts.
 */
import { Problem } from '@woof/protocol';
import { apiPage } from '../api-page.ts';
import type { Handlers } from '../handler.ts';
import { openapi } from '../openapi.ts';
import type { Parts } from '../parts.ts';

/** After a failed write, the server reports *not ready* for this long or until a write succeeds. */
const UNWRITTEN_MS = 30_000;
const WRITE_EVERY_MS = 1000;

export function health(parts: Parts): Handlers<'health'> {
  const { engine, isStopping, now } = parts;
  const write = writeNowAndThen(parts);
  return {
    'health.live': () => ({ status: 'ok' }),
    'health.ready': async () => {
      if (isStopping()) throw new Problem('store/unavailable', 'the server is stopping');
      if (engine.failure !== undefined) throw new Problem('store/unavailable', 'the engine has stopped');
      const { lastUnwritten } = engine;
      if (lastUnwritten && now() - lastUnwritten.at < UNWRITTEN_MS) throw lastUnwritten.error;
      await write();
      return { status: 'ready' };
    },
  };
}

/**
 * A database may answer reads and still refuse writes. This writes at most once per second, however often it is called.
 */
function writeNowAndThen({ store, now }: Parts): () => Promise<unknown> {
  let last: { at: number; written: Promise<unknown> } | undefined;
  return () => {
    const at = now();
    if (last === undefined || at - last.at >= WRITE_EVERY_MS)
      last = { at, written: store.records.put('ready', 'last', { at }) };
    return last.written;
  };
}

export function description({ version }: Parts): Handlers<'openapi'> & Handlers<'docs'> {
  const document = openapi(version);
  return {
    'openapi.get': () => document,
    'docs.page': ({ reply }) => {
      reply.type('text/html; charset=utf-8').header('content-security-policy', apiPage.policy);
      void reply.send(apiPage.html);
      return undefined;
    },
  };
}
