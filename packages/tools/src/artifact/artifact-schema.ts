import type { ToolSchema } from '@woof/net';

export const artifactSchema: ToolSchema = {
  kind: 'artifact',
  summary: 'Stores a value in the blob store, or reads one back.',
  fields: {
    action: {
      type: 'string',
      doc: '`put` or `get`.',
      oneOf: ['get', 'put'],
      unset: '`put` if `data` is set, else `get`',
    },
    data: { type: 'any', doc: 'The value to store, up to 64 MiB.' },
    uri: {
      type: 'any',
      doc: 'What to read: a reference, as `put` and the filter `ref` return it, or its key.',
    },
    result_ref: { type: 'any', doc: 'Another name for `uri`.', sameAs: 'uri' },
  },
  needs: [['uri', 'result_ref', 'data']],
};
