import type { ToolSchema } from '@woof/net';

export const duckdbSchema: ToolSchema = {
  kind: 'duckdb',
  summary: 'Runs SQL on DuckDB, in memory or on a file of the document’s folder.',
  runsCode: true,
  fields: {
    command: { type: 'any', doc: 'The SQL: one or several statements, as text or as a list.' },
    commands: { type: 'any', doc: 'Another name of command.' },
    query: { type: 'any', doc: 'Another name of command.' },
    params: { type: 'any', doc: 'Values to bind: a list for $1 or ?, a map for $name.' },
    tables: { type: 'object', doc: 'Views by name, each a reference or a list of rows.' },
    database: { type: 'string', doc: 'A file under the document’s folder; in memory unless set.' },
    read_only: { type: 'boolean', doc: 'False unless set: the database may be written.' },
    timeout: { type: 'number', doc: 'Seconds for the whole task; spec.timeout unless set.' },
    max_bytes: { type: 'number', doc: 'The largest result in bytes; 1 GiB unless set.' },
  },
  needs: [['command', 'commands', 'query']],
};
