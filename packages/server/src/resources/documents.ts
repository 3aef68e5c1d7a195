/**
 * Documents: register, read, list, remove, check.
 *
 * Calls: packages/protocol/src/http/documents.ts.
 */
import type { Handlers } from '../handler.ts';
import { NOTEBOOK_MEDIA, wantsNotebook } from '../notebook-media.ts';
import type { Parts } from '../parts.ts';

export function documents({ catalogue, compile, declared, schedules }: Parts): Handlers<'documents'> {
  return {
    'documents.register': async ({ body: { text, file, path: told }, query }) => {
      const path = told ?? query.path;
      const placed = catalogue.placed(text, { file, path });
      await declared.refuseTaken(placed.path, placed.schedules);
      const kept = await catalogue.register(text, { file, path });
      const settled = await declared.settle(kept.path);
      return {
        ...kept,
        schedules: settled.schedules.map((schedule) => schedules.shown(schedule)),
        removed_schedules: settled.removed,
      };
    },
    'documents.list': ({ query }) => catalogue.list(query),
    'documents.get': async ({ params, query, raw, reply }) => {
      const found = await catalogue.get(params.path, query.version);
      reply.header('vary', 'accept');
      if (found.kind !== 'notebook' || !wantsNotebook(raw.headers.accept)) return found;
      await reply.type(NOTEBOOK_MEDIA).header('x-content-type-options', 'nosniff').send(found.text);
      return undefined;
    },
    'documents.remove': async ({ params }) => {
      try {
        await catalogue.remove(params.path);
      } finally {
        // Even if it is gone already: whoever removed it may not have got this far.
        await declared.settle(params.path);
      }
      return undefined;
    },
    'documents.lint': ({ body: { text, file } }) => {
      const { kind, diagnostics } = compile(text, file);
      return { kind, diagnostics };
    },
  };
}
