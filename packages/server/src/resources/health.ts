import { Problem } from '@woof/protocol';
import { docsPage } from '../docs-page.ts';
import type { Handlers } from '../handler.ts';
import { openapi } from '../openapi.ts';
import type { Parts } from '../parts.ts';

export function health({ store, engine, isStopping }: Parts): Handlers<'health'> {
  return {
    'health.live': () => ({ status: 'ok' }),
    'health.ready': async () => {
      if (isStopping()) throw new Problem('store/unavailable', 'the server is stopping');
      if (engine.failure !== undefined) throw new Problem('store/unavailable', 'the engine has stopped');
      await store.now();
      return { status: 'ready' };
    },
  };
}

export function description({ version }: Parts): Handlers<'openapi'> & Handlers<'docs'> {
  const document = openapi(version);
  return {
    'openapi.get': () => document,
    'docs.page': ({ reply }) => {
      reply.type('text/html; charset=utf-8').header('content-security-policy', docsPage.policy);
      void reply.send(docsPage.html);
      return undefined;
    },
  };
}
