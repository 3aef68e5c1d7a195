import type { ToolSchema } from '@woof/net';

export const postgresSchema: ToolSchema = {
  kind: 'postgres',
  summary: 'Runs SQL on a Postgres database, with bound parameters.',
  fields: {
    command: { type: 'any', doc: 'the SQL: one or several statements, as text or as a list' },
    commands: { type: 'any', doc: 'another name of `command`', sameAs: 'command' },
    query: { type: 'any', doc: 'another name of `command`', sameAs: 'command' },
    script: {
      type: 'any',
      doc: "`{uri, source}`: the SQL from a file of the document's folder, from `http` or from `s3`, in place of `command`: see [scripts](../tools.md#scripts)",
    },
    params: {
      type: 'any',
      doc: 'values to bind: a list for `$1`, `$2` (or `%s`), a map for `:name` (or `%(name)s`)',
    },
    auth: {
      type: 'any',
      doc: 'the connection: a map of the fields from `host` to `sslrootcert`, or a `postgres://` URL',
    },
    credential: { type: 'any', doc: 'another name of `auth`', sameAs: 'auth' },
    url: { type: 'string', doc: 'the connection as `postgres://user:password@host:port/database`' },
    host: { type: 'string', doc: 'the server, or the folder of its socket' },
    port: { type: 'number', doc: 'the port', unset: '5432' },
    user: { type: 'string', doc: 'who connects' },
    password: { type: 'string', doc: 'the password' },
    database: { type: 'string', doc: 'the database', unset: 'the name of the user' },
    sslmode: {
      type: 'string',
      doc: '`disable`, `prefer`, `require`, `verify-ca` or `verify-full`',
      oneOf: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'],
      unset: '`prefer`',
    },
    sslrootcert: { type: 'string', doc: 'the certificates to trust, as PEM text' },
    transaction: {
      type: 'boolean',
      doc: 'whether several statements happen all or not at all',
      unset: 'true',
    },
    data: {
      type: 'any',
      stored: 'streamed',
      doc: 'what `COPY … FROM STDIN` reads: text, a list of rows, or a [reference](../playbooks.md#large-values)',
    },
    timeout: { type: 'number', doc: 'seconds for the whole task', unset: '`spec.timeout`' },
    max_bytes: { type: 'number', doc: 'the largest result in bytes', unset: '1 GiB' },
  },
  needs: [
    ['command', 'commands', 'query', 'script'],
    ['auth', 'credential', 'url', 'host'],
  ],
};
