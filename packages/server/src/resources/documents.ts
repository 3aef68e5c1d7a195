import type { Handlers } from '../handler.ts';
import type { Parts } from '../parts.ts';

export function documents({ catalogue, compile }: Parts): Handlers<'documents'> {
  return {
    'documents.register': ({ body: { text, file, path } }) => catalogue.register(text, { file, path }),
    'documents.list': ({ query }) => catalogue.list(query),
    'documents.get': ({ params, query }) => catalogue.get(params.path, query.version),
    'documents.remove': async ({ params }) => {
      await catalogue.remove(params.path);
      return undefined;
    },
    'documents.lint': ({ body: { text, file } }) => {
      const { kind, diagnostics } = compile(text, file);
      return { kind, diagnostics };
    },
  };
}
