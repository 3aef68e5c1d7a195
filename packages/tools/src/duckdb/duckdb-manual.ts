import type { ToolManual } from '../tool-manual.ts';

export const duckdbManual: ToolManual = {
  about: [
    "Runs SQL on DuckDB, in the [sandbox](../sandbox.md): it sees no file unless `io_policy.allow_files` says so, and then those of the document's folder. A task has a database of its own in memory, or a file.",
  ],
  details: [
    'Do not put values into the SQL with templates; bind them with `params`. The `args` of the step can be bound by name too: with `args: {country: NO}`, `WHERE country = $country` needs no `params`. A value of `params` wins over an argument of the same name. If `params` is a list, only `$1` and `?` are bound.',
    'Results of any size pass from task to task through `tables`: a stored list is read from its store, not through memory. A reference, as the filter `ref` or an `http` download gives it, is read as what it is: JSON, Parquet, CSV, or Arrow without dictionaries and compression. In `params` a reference is the path of a file: `read_json($rows)`.',
    'Several statements happen all or not at all, unless they hold `BEGIN`, `ATTACH`, `CHECKPOINT` or `VACUUM`. DuckDB uses up to `spec.memory_mb` (1024 unless set) and then spills to disk where the query can. Tasks of one worker on the same file come one after the other.',
  ],
  result: [
    'The result is that of the last statement: `{columns, rows, row_count, statement_count}`. Integers are exact at any size; a decimal with a fraction is a float if a float of 64 bits prints the same number, which is always so up to 15 digits, else text with all its digits; NaN and infinities are null; timestamps are ISO 8601; lists, structs and JSON are values.',
    'Over 16 MiB, `rows` is stored as a table in the IPC format for streams of [Arrow](https://arrow.apache.org) (`application/vnd.apache.arrow.stream`), whose `schema_hint` names `columns` and `types`. A duckdb task that names it in `tables` gets the types as they were. Templates, `woof result` and [`artifact`](artifact.md) give its rows as the values that a small result has; `COPY … FROM STDIN` of [`postgres`](postgres.md) takes them; [`s3`](s3.md) and [`nats`](nats.md) send them as a JSON list (`s3` as Arrow where `content_type` says so). These types have none of their own in Arrow:',
    {
      table: [
        ['type', 'in Arrow'],
        ['`HUGEINT`, `UHUGEINT`', 'a decimal of 39 digits, 256 bits wide'],
        [
          '`INTERVAL`, `TIMETZ`, `BIT`, `BIGNUM`, `ENUM`',
          'text as DuckDB prints it; a duckdb task reads it as what it was',
        ],
        ['`UNION`, `VARIANT` and others', 'JSON as text, and so it stays'],
      ],
    },
  ],
  errors: [
    { kinds: ['client_error'], when: 'the SQL is wrong, or a value does not fit' },
    { kinds: ['db_constraint'], when: 'a unique, not-null or check constraint' },
    { kinds: ['db_connection'], when: 'another process holds the file' },
    { kinds: ['db_deadlock'], when: 'a conflict between transactions' },
    { kinds: ['not_found'], when: 'no such file' },
    { kinds: ['policy'], when: 'a file that it may not reach' },
    {
      kinds: ['storage'],
      when: 'the result is larger than `max_bytes`, the disk is full, or memory does not suffice',
    },
    { kinds: ['exception'], when: 'its process was killed for its memory, or crashed' },
    { kinds: ['server_error'], when: 'a fault inside DuckDB' },
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
