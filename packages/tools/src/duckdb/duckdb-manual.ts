import type { ToolManual } from '../tool-manual.ts';

export const duckdbManual: ToolManual = {
  about: [
    "Runs SQL on DuckDB, in the [sandbox](../sandbox.md): it sees no file unless `io_policy.allow_files` says so, and then those of the document's folder. A task has a database of its own in memory, or a file.",
  ],
  details: [
    'A reference in `tables` is read as what it is: JSON, Parquet or CSV; so results of any size pass from task to task. A reference in `params` is the path of a file: `read_json($rows)`.',
    'Several statements happen all or not at all, unless they hold `BEGIN`, `ATTACH`, `CHECKPOINT` or `VACUUM`. DuckDB uses up to `spec.memory_mb` (1024 unless set) and then spills to disk where the query can. Tasks of one worker on the same file come one after the other.',
  ],
  result: [
    'The result is that of the last statement: `{columns, rows, row_count, statement_count}`. Over 16 MiB, `rows` is a reference to the list. Wide integers and decimals are numbers where a number holds them exactly, else text; timestamps are ISO 8601; lists, structs and JSON are values.',
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
