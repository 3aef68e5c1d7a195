import type { ToolManual } from '../tool-manual.ts';

export const postgresManual: ToolManual = {
  about: [
    'Runs SQL on a Postgres database. A worker keeps its connections, eight at most to one address, for later tasks.',
  ],
  details: [
    'Do not put values into the SQL with templates; bind them with `params`. A bound value cannot become SQL, whatever it holds. A list or map is bound as JSON, or as an array where the column is one.',
    'The `args` of the step can be bound by name too: with `args: {id: 7}`, `WHERE id = :id` needs no `params`. A value of `params` wins over an argument of the same name. If `params` is a list, only `$1`, `$2` (or `%s`) are bound.',
    'Statements are split at `;` outside quotes, dollar quotes, comments and parentheses. Several of them are one transaction, unless they hold `BEGIN`, or something that cannot be in one such as `VACUUM`, or `transaction` is false. What a task sets, and its temporary tables, end with it. A task that is cancelled, or late, cancels its query at the server.',
    '`COPY … FROM STDIN` reads `data` as it is where that is text. The rows of a list are sent in the text format: leave `FORMAT csv` and the like out. The values of a map go by the names of the columns. `COPY table (columns)` takes those that it names, null where a row lacks one; without names, each row must have every column. A name that is no column is an error.',
    'A job that runs again after a crash may run its statements again: write them so that twice is as good as once, as in the example. The id of an execution is text; a `BIGINT` column cannot hold it.',
  ],
  result: [
    'The result is that of the last statement: `{rows, row_count, columns, statement_count}`, rows as maps by column. Where several columns have one name, the later ones are `name_2`, `name_3`. `COPY … TO STDOUT` gives its text as `data`.',
    {
      table: [
        ['type', 'as'],
        ['integers, `numeric` without a fraction', 'an integer of any size: `9007199254740993`'],
        [
          '`numeric` with a fraction',
          'a float if a float of 64 bits prints the same number: `1.50`, `1.6666666666666667`. Else text with all digits, so that nothing is rounded: `"0.33333333333333333333"`. Numbers with at most 15 digits are always floats. To get one type in all rows, cast the column: `::float8` rounds, `::text` keeps the digits. `NaN` and infinities are null',
        ],
        ['`float4`, `float8`', 'a float; NaN and infinities are null'],
        ['`json`, `jsonb`', 'the value'],
        ['`timestamp`, `timestamptz`', 'ISO 8601 with all digits: `"2030-01-31T09:00:00.123456+00:00"`'],
        ['arrays of the common types', 'lists'],
        ['`bytea`', 'text: `"\\\\x00ff"`'],
        ['all others', 'the text that Postgres prints'],
      ],
    },
    'Rules also see `outcome.pg`: `{code, sqlstate, message, detail, hint, schema, table, column, constraint}` of an error.',
  ],
  errors: [
    {
      kinds: ['db_connection'],
      when: 'no connection, or a broken one; too many at the server; it stops or starts',
    },
    { kinds: ['db_deadlock'], when: 'a deadlock, or a transaction that could not be serialised' },
    { kinds: ['db_timeout'], when: '`timeout`, `statement_timeout` or `lock_timeout` passed' },
    { kinds: ['db_constraint'], when: 'a unique, foreign key, not-null or check constraint' },
    { kinds: ['auth'], when: 'wrong user or password, or a right that is missing' },
    { kinds: ['not_found'], when: 'no such database or schema' },
    { kinds: ['client_error'], when: 'the SQL is wrong, or a value does not fit' },
    { kinds: ['exception'], when: '`RAISE` in the database' },
    {
      kinds: ['connection'],
      when: "the server's certificate is not to be trusted, or it does not encrypt and `sslmode` wants it to",
      retryable: 'no',
    },
    {
      kinds: ['storage'],
      when: "the result is larger than `max_bytes` (not retryable), or the server's disk is full (retryable)",
      retryable: '',
    },
    { kinds: ['server_error'], when: 'anything else that is wrong inside the server' },
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
