import type { ToolSchema } from '@woof/net';

export const duckdbSchema: ToolSchema = {
  kind: 'duckdb',
  summary: 'Runs SQL on DuckDB, in memory or on a file in the document’s folder.',
  runsCode: true,
  fields: {
    command: { type: 'any', doc: 'The SQL: one or more statements, as text or as a list.' },
    commands: { type: 'any', doc: 'Another name for `command`.', sameAs: 'command' },
    query: { type: 'any', doc: 'Another name for `command`.', sameAs: 'command' },
    script: {
      type: 'any',
      insteadOf: 'command',
      doc: "`{uri, source}`: reads the SQL from a file in the document's folder, from `http` or from `s3`, instead of `command`. See [scripts](../tools.md#scripts).",
    },
    params: { type: 'any', doc: 'Values to bind: a list for `$1` or `?`, a map for `$name`.' },
    tables: {
      type: 'object',
      stored: 'tables',
      doc: 'Views by name. Each is a list of maps, or a [reference](../playbooks.md#large-values) to a file.',
    },
    database: {
      type: 'string',
      doc: "A file under the document's folder. Needs `allow_files`.",
      unset: 'in memory',
    },
    read_only: { type: 'boolean', doc: 'If true, the task can only read the database.', unset: 'false' },
    timeout: { type: 'number', doc: 'Seconds for the whole task.', unset: '`spec.timeout`' },
    max_bytes: { type: 'number', doc: 'The largest result in bytes.', unset: '1 GiB' },
  },
  needs: [['command', 'commands', 'query', 'script']],
};
