import type { ToolSchema } from '@woof/net';

export const duckdbSchema: ToolSchema = {
  kind: 'duckdb',
  summary: 'Runs SQL on DuckDB, in memory or on a file of the document’s folder.',
  runsCode: true,
  fields: {
    command: { type: 'any', doc: 'the SQL: one or several statements, as text or as a list' },
    commands: { type: 'any', doc: 'another name of `command`', sameAs: 'command' },
    query: { type: 'any', doc: 'another name of `command`', sameAs: 'command' },
    script: {
      type: 'any',
      doc: "`{uri, source}`: the SQL from a file of the document's folder, from `http` or from `s3`, in place of `command`: see [scripts](../tools.md#scripts)",
    },
    params: { type: 'any', doc: 'values to bind: a list for `$1` or `?`, a map for `$name`' },
    tables: {
      type: 'object',
      stored: 'tables',
      doc: 'views by name, each a list of maps, or a [reference](../playbooks.md#large-values) to a file',
    },
    database: {
      type: 'string',
      doc: "a file under the document's folder; needs `allow_files`",
      unset: 'in memory',
    },
    read_only: { type: 'boolean', doc: 'whether the database may only be read', unset: 'false' },
    timeout: { type: 'number', doc: 'seconds for the whole task', unset: '`spec.timeout`' },
    max_bytes: { type: 'number', doc: 'the largest result in bytes', unset: '1 GiB' },
  },
  needs: [['command', 'commands', 'query', 'script']],
};
