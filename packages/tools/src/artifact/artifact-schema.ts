import type { ToolSchema } from '@woof/net';

export const artifactSchema: ToolSchema = {
  kind: 'artifact',
  summary: 'Keeps a value in the blob store, or reads one back.',
  fields: {
    action: { type: 'string', doc: 'get or put; put where data is given, else get.', oneOf: ['get', 'put'] },
    uri: { type: 'any', doc: 'What to get: a reference, or its key.' },
    result_ref: { type: 'any', doc: 'Another name of uri.' },
    data: { type: 'any', doc: 'What to put: any value.' },
  },
  needs: [['uri', 'result_ref', 'data']],
};
