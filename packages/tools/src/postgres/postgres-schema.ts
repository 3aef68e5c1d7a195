import type { ToolSchema } from '@woof/net';

export const postgresSchema: ToolSchema = {
  kind: 'postgres',
  summary: 'Runs SQL on a Postgres database, with bound parameters.',
  fields: {
    command: { type: 'any', doc: 'The SQL: one or several statements, as text or as a list.' },
    commands: { type: 'any', doc: 'Another name of command.' },
    query: { type: 'any', doc: 'Another name of command.' },
    params: { type: 'any', doc: 'Values to bind: a list for $1, $2 and so on, a map for :name.' },
    auth: { type: 'any', doc: 'The connection as a map of the fields below, or as a URL.' },
    credential: { type: 'any', doc: 'Another name of auth.' },
    url: { type: 'string', doc: 'The connection as postgres://user:password@host:port/database.' },
    host: { type: 'string', doc: 'The server, or the folder of its socket.' },
    port: { type: 'number', doc: '5432 unless set.' },
    user: { type: 'string', doc: 'The user.' },
    password: { type: 'string', doc: 'The password.' },
    database: { type: 'string', doc: 'The database; the name of the user unless set.' },
    sslmode: {
      type: 'string',
      doc: 'disable, prefer (unless set), require, verify-ca or verify-full.',
      oneOf: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'],
    },
    sslrootcert: { type: 'string', doc: 'The certificates to trust, as PEM text.' },
    transaction: { type: 'boolean', doc: 'True unless set: several statements happen all or not at all.' },
    data: { type: 'any', doc: 'What COPY … FROM STDIN reads: text, a list of rows, or a reference.' },
    timeout: { type: 'number', doc: 'Seconds for the whole task; spec.timeout unless set.' },
    max_bytes: { type: 'number', doc: 'The largest result in bytes; 1 GiB unless set.' },
  },
  needs: [
    ['command', 'commands', 'query'],
    ['auth', 'credential', 'url', 'host'],
  ],
};
