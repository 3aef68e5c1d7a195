import type { ToolSchema } from '@woof/net';

export const transferSchema: ToolSchema = {
  kind: 'transfer',
  summary: 'Moves rows between http, postgres, duckdb, files and s3, in chunks.',
  runsCode: true,
  fields: {
    source: {
      type: 'object',
      doc: 'Where rows come from: a map with `kind` and the fields of [that kind](#details).',
    },
    target: {
      type: 'object',
      doc: 'Where rows go: a map with `kind` and the fields of [that kind](#details).',
    },
    mode: {
      type: 'string',
      doc: '`append`, `replace` or `upsert`.',
      oneOf: ['append', 'replace', 'upsert'],
      unset: '`append`',
    },
    key: { type: 'any', doc: 'For `upsert`: the columns that identify a row, as a name or a list.' },
    mapping: {
      type: 'object',
      doc: 'Each column of the target with its column of the source. You can also write it in `target`.',
      unset: 'all columns, with the same names',
    },
    chunk_size: { type: 'number', doc: 'Rows per chunk.', unset: '50000' },
    timeout: { type: 'number', doc: 'Seconds for the whole task.', unset: '`spec.timeout`' },
  },
  needs: [['source'], ['target']],
};
