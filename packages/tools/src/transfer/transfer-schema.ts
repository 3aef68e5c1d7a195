import type { ToolSchema } from '@woof/net';

export const transferSchema: ToolSchema = {
  kind: 'transfer',
  summary: 'Moves rows between http, postgres, duckdb, files and s3, in chunks.',
  runsCode: true,
  fields: {
    source: { type: 'object', doc: 'Where rows come from: {kind: http, postgres, duckdb, file or s3, …}.' },
    target: { type: 'object', doc: 'Where rows go: {kind: http, postgres, duckdb, file or s3, …}.' },
    mode: {
      type: 'string',
      doc: 'append (unless set), replace or upsert.',
      oneOf: ['append', 'replace', 'upsert'],
    },
    key: { type: 'any', doc: 'The columns that identify a row, for upsert.' },
    mapping: { type: 'object', doc: 'Columns of the target, each with its column of the source.' },
    chunk_size: { type: 'number', doc: 'Rows a chunk; 50000 unless set.' },
    timeout: { type: 'number', doc: 'Seconds for the whole task; spec.timeout unless set.' },
  },
  needs: [['source'], ['target']],
};
