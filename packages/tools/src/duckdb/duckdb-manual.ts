import type { ToolManual } from '../tool-manual.ts';

export const duckdbManual: ToolManual = {
  about: [
    "Runs SQL on DuckDB, in the [sandbox](../sandbox.md). It can read no files unless `io_policy.allow_files` is set, and then only those in the document's folder. Each task has its own database in memory, or uses a file.",
  ],
  details: [
    'Do not put values into the SQL with templates. Bind them with `params`. You can also bind the `args` of the step by name: with `args: {country: NO}`, `WHERE country = $country` needs no `params`. A value in `params` wins over an argument of the same name. If `params` is a list, only `$1` and `?` are bound.',
    'Use `tables` to pass results of any size from task to task. Woof reads a stored list from its store, not through memory. DuckDB reads a reference, as the filter `ref` or an `http` download returns it, in its own format: JSON, Parquet, CSV, or Arrow without dictionaries and compression. In `params`, a reference is the path of a file: `read_json($rows)`.',
    'Several statements run in one transaction, unless they contain `BEGIN`, `ATTACH`, `CHECKPOINT` or `VACUUM`. DuckDB uses up to `spec.memory_mb` of memory (default 1024) and then spills to disk if the query can. Tasks of one worker that use the same file run one after the other.',
  ],
  result: [
    'The result is that of the last statement: `{columns, rows, row_count, statement_count}`. Integers are exact at any size. A decimal with a fraction is a float if a 64-bit float prints the same number, which is always the case up to 15 digits. Otherwise it is text with all its digits. NaN and infinities are null. Timestamps are ISO 8601. Lists, structs and JSON are values.',
    'If `rows` is larger than 16 MiB, Woof stores it as a table in the [Arrow](https://arrow.apache.org) IPC stream format (`application/vnd.apache.arrow.stream`), and `schema_hint` names `columns` and `types`. A duckdb task that names it in `tables` gets the original types. Templates, `woof result` and [`artifact`](artifact.md) return its rows with the same values as a small result. `COPY … FROM STDIN` of [`postgres`](postgres.md) accepts them. [`s3`](s3.md) and [`nats`](nats.md) send them as a JSON list (`s3` sends Arrow if `content_type` says so). These DuckDB types have no equivalent in Arrow:',
    {
      table: [
        ['Type', 'In Arrow'],
        ['`HUGEINT`, `UHUGEINT`', 'A decimal of 39 digits, 256 bits wide.'],
        [
          '`INTERVAL`, `TIMETZ`, `BIT`, `BIGNUM`, `ENUM`',
          'Text as DuckDB prints it. A duckdb task reads it with its original type.',
        ],
        ['`UNION`, `VARIANT` and others', 'JSON text. It stays JSON text in a duckdb task.'],
      ],
    },
  ],
  errors: [
    { kinds: ['client_error'], when: 'The SQL is wrong, or a value does not fit.' },
    { kinds: ['db_constraint'], when: 'A statement violates a unique, not-null or check constraint.' },
    { kinds: ['db_connection'], when: 'Another process holds the file.' },
    { kinds: ['db_deadlock'], when: 'Two transactions conflict.' },
    { kinds: ['not_found'], when: 'The file does not exist.' },
    { kinds: ['policy'], when: 'The task does not have permission to reach the file.' },
    {
      kinds: ['storage'],
      when: 'The result is larger than `max_bytes`, the disk is full, or there is not enough memory.',
    },
    { kinds: ['exception'], when: 'The process was killed because of its memory, or crashed.' },
    { kinds: ['server_error'], when: 'DuckDB has an internal error.' },
  ],
  example: `- totals:
    kind: duckdb
    tables: {orders: "{{ workload.orders }}"}
    command: SELECT country, sum(amount) AS total FROM orders GROUP BY country ORDER BY country
- keep:
    kind: duckdb
    tables: {totals: "{{ _prev.rows }}"}
    command: COPY totals TO 'totals.parquet'
    spec:
      io_policy: {allow_files: true}
- read:
    kind: duckdb
    command: FROM 'totals.parquet'
    spec:
      io_policy: {allow_files: true}
`,
  gives: {
    workload: {
      orders: [
        { country: 'NO', amount: 3 },
        { country: 'DK', amount: 5 },
        { country: 'NO', amount: 4 },
      ],
    },
    result: {
      columns: ['country', 'total'],
      rows: [
        { country: 'DK', total: 5 },
        { country: 'NO', total: 7 },
      ],
      row_count: 2,
      statement_count: 1,
    },
  },
};
