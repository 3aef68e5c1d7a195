import type { ToolSchema } from '@woof/net';

export const postgresSchema: ToolSchema = {
  kind: 'postgres',
  summary: 'Runs SQL on a Postgres database, with bound parameters.',
  fields: {
    command: { type: 'any', doc: 'The SQL: one or more statements, as text or as a list.' },
    commands: { type: 'any', doc: 'Another name for `command`.', sameAs: 'command' },
    query: { type: 'any', doc: 'Another name for `command`.', sameAs: 'command' },
    script: {
      type: 'any',
      insteadOf: 'command',
      doc: "`{uri, source}`: reads the SQL from a file in the document's folder, from `http` or from `s3`, instead of `command`. See [scripts](../tools.md#scripts).",
    },
    params: {
      type: 'any',
      doc: 'Values to bind: a list for `$1`, `$2` (or `%s`), a map for `:name` (or `%(name)s`).',
    },
    auth: {
      type: 'any',
      doc: 'The connection: a map of the fields from `host` to `sslrootcert`, or a `postgres://` URL.',
    },
    credential: { type: 'any', doc: 'Another name for `auth`.', sameAs: 'auth' },
    url: { type: 'string', doc: 'The connection as `postgres://user:password@host:port/database`.' },
    host: { type: 'string', doc: 'The host name of the server, or the directory of its socket.' },
    port: { type: 'number', doc: 'The port.', unset: '5432' },
    user: { type: 'string', doc: 'The user that connects.' },
    password: { type: 'string', doc: 'The password.' },
    database: { type: 'string', doc: 'The database.', unset: 'the name of the user' },
    sslmode: {
      type: 'string',
      doc: '`disable`, `prefer`, `require`, `verify-ca` or `verify-full`.',
      oneOf: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'],
      unset: '`prefer`',
    },
    sslrootcert: { type: 'string', doc: 'The certificates to trust, as PEM text.' },
    transaction: {
      type: 'boolean',
      doc: 'If true, several statements run in one transaction: all of them take effect, or none.',
      unset: 'true',
    },
    data: {
      type: 'any',
      stored: 'streamed',
      doc: 'What `COPY … FROM STDIN` reads: text, a list of rows, or a [reference](../playbooks.md#large-values).',
    },
    timeout: { type: 'number', doc: 'Seconds for the whole task.', unset: '`spec.timeout`' },
    max_bytes: { type: 'number', doc: 'The largest result in bytes.', unset: '1 GiB' },
  },
  needs: [
    ['command', 'commands', 'query', 'script'],
    ['auth', 'credential', 'url', 'host'],
  ],
};
