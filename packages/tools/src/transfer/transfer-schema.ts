import type { ToolSchema } from '@woof/net';

export const transferSchema: ToolSchema = {
  kind: 'transfer',
  summary: 'Moves rows between http, postgres, duckdb, files and s3, in chunks.',
  runsCode: true,
  fields: {
    source: {
      type: 'object',
      doc: 'where rows come from: a map with `kind` and the fields of [that end](#details)',
    },
    target: {
      type: 'object',
      doc: 'where rows go: a map with `kind` and the fields of [that end](#details)',
    },
    mode: {
      type: 'string',
      doc: '`append`, `replace` or `upsert`',
      oneOf: ['append', 'replace', 'upsert'],
      unset: '`append`',
    },
    key: { type: 'any', doc: 'the columns that identify a row, for `upsert`: a name or a list' },
    mapping: {
      type: 'object',
      doc: 'columns of the target, each with its column of the source; may stand in `target` instead',
      unset: 'all, under their own names',
    },
    chunk_size: { type: 'number', doc: 'rows a chunk', unset: '50000' },
    timeout: { type: 'number', doc: 'seconds for the whole task', unset: '`spec.timeout`' },
  },
  needs: [['source'], ['target']],
};
