import type { ToolSchema } from '@woof/net';

export const artifactSchema: ToolSchema = {
  kind: 'artifact',
  summary: 'Keeps a value in the blob store, or reads one back.',
  fields: {
    action: {
      type: 'string',
      doc: '`put` or `get`',
      oneOf: ['get', 'put'],
      unset: '`put` where `data` is given, else `get`',
    },
    data: { type: 'any', doc: 'what to put: any value of up to 64 MiB' },
    uri: { type: 'any', doc: 'what to get: a reference, as `put` and the filter `ref` give it, or its key' },
    result_ref: { type: 'any', doc: 'another name of `uri`', sameAs: 'uri' },
  },
  needs: [['uri', 'result_ref', 'data']],
};
