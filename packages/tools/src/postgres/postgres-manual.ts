import type { ToolManual } from '../tool-manual.ts';

export const postgresManual: ToolManual = {
  about: [
    'Runs SQL on a Postgres database. A worker keeps up to eight connections per address open for later tasks.',
  ],
  details: [
    'Do not put values into the SQL with templates. Bind them with `params`. A bound value cannot become SQL, whatever it contains. Woof binds a list or map as JSON, or as an array if the column is an array.',
    'You can also bind the `args` of the step by name: with `args: {id: 7}`, `WHERE id = :id` needs no `params`. A value in `params` wins over an argument of the same name. If `params` is a list, only `$1`, `$2` (or `%s`) are bound.',
    'Woof splits statements at `;` outside quotes, dollar quotes, comments and parentheses. Several statements run in one transaction, unless they contain `BEGIN` or a statement that cannot run in a transaction, such as `VACUUM`, or `transaction` is false. Session settings and temporary tables end with the task. When a task is cancelled or times out, Woof cancels its query on the server.',
    '`COPY … FROM STDIN` reads `data` unchanged if it is text. Woof sends the rows of a list in the text format, so do not set `FORMAT csv` or similar. If a row is a map, its values go to the columns with the same names. `COPY table (columns)` reads the columns that it names, and a missing value is null. Without column names, each row must have every column. A name that is not a column is an error.',
    'If a job runs again after a crash, its statements can run again. Write them so that running them twice has the same effect as running them once, as in the example. The id of an execution is text, and a `BIGINT` column cannot hold it.',
  ],
  result: [
    'The result is that of the last statement: `{rows, row_count, columns, statement_count}`, with each row as a map by column. If several columns have the same name, the later ones are called `name_2`, `name_3`. `COPY … TO STDOUT` returns its text as `data`.',
    {
      table: [
        ['Type', 'Value'],
        ['integers, `numeric` without a fraction', 'An integer of any size: `9007199254740993`.'],
        [
          '`numeric` with a fraction',
          'A float if a 64-bit float prints the same number: `1.50`, `1.6666666666666667`. Otherwise text with all digits: `"0.33333333333333333333"`. Numbers with at most 15 digits are always floats. To get one type in all rows, cast the column: `::float8` rounds, and `::text` keeps the digits. `NaN` and infinities are null.',
        ],
        ['`float4`, `float8`', 'A float. NaN and infinities are null.'],
        ['`json`, `jsonb`', 'The value.'],
        ['`timestamp`, `timestamptz`', 'ISO 8601 with all digits: `"2030-01-31T09:00:00.123456+00:00"`.'],
        ['arrays of the common types', 'Lists.'],
        ['`bytea`', 'Text: `"\\\\x00ff"`.'],
        ['all others', 'The text that Postgres prints.'],
      ],
    },
    'After an error, rules can also read `outcome.pg`: `{code, sqlstate, message, detail, hint, schema, table, column, constraint}`.',
  ],
  errors: [
    {
      kinds: ['db_connection'],
      when: 'Woof could not connect, the connection broke, the server has too many connections, or it is starting or stopping.',
    },
    { kinds: ['db_deadlock'], when: 'A deadlock, or a transaction that could not be serialised.' },
    { kinds: ['db_timeout'], when: '`timeout`, `statement_timeout` or `lock_timeout` passed.' },
    {
      kinds: ['db_constraint'],
      when: 'A statement violates a unique, foreign key, not-null or check constraint.',
    },
    { kinds: ['auth'], when: 'The user or password is wrong, or the user does not have the permission.' },
    { kinds: ['not_found'], when: 'The database or schema does not exist.' },
    { kinds: ['client_error'], when: 'The SQL is wrong, or a value does not fit.' },
    { kinds: ['exception'], when: 'The database ran `RAISE`.' },
    {
      kinds: ['connection'],
      when: "The server's certificate is not trusted, or `sslmode` requires encryption and the server does not offer it.",
      retryable: 'no',
    },
    {
      kinds: ['storage'],
      when: "The result is larger than `max_bytes` (not retryable), or the server's disk is full (retryable).",
      retryable: '',
    },
    { kinds: ['server_error'], when: 'Any other error inside the server.' },
  ],
  example: `- store:
    kind: postgres
    auth: "{{ workload.database }}"
    command: |
      INSERT INTO orders (id, payload) VALUES (:id, :payload)
      ON CONFLICT (id) DO UPDATE SET payload = excluded.payload
    params: {id: "{{ order.id }}", payload: "{{ order }}"}
`,
};
