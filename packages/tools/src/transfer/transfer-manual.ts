import type { ToolManual } from '../tool-manual.ts';

export const transferManual: ToolManual = {
  about: [
    'Moves any number of rows from one place to another, in chunks. Woof reads one chunk while it writes the previous one.',
  ],
  details: [
    {
      table: [
        ['`kind`', 'As source', 'As target'],
        [
          '`postgres`',
          '`query` with `params` (a list), or `table`. The connection is as for [`postgres`](postgres.md).',
          '`table` or `schema.table`.',
        ],
        ['`duckdb`', '`query` or `table`, and `database` (a file).', '`database` and `table`.'],
        ['`file`', '`path`: CSV, JSON lines or Parquet, by its extension or `format`.', '`path`.'],
        [
          '`s3`',
          '`key`: one object, which is CSV, JSON lines or Parquet by its extension or `format`. If `key` ends with a slash: all objects below it with the extension of `format` (default JSON lines), in the order of their keys. The other fields are as for [`s3`](s3.md). `max_bytes` applies to all objects together.',
          '`key`: one object, as for a file. If `key` ends with a slash: one object of JSON lines per chunk, with `append` only.',
        ],
        [
          '`http`',
          'The fields of [`http`](http.md). `rows_path` is the path to the list in the body. `next_path` is the path to the address of the next page (default: a `Link` header with `rel="next"`). The first page with rows determines the types and, unless there is a `mapping`, the columns. If there are no rows at all, Woof creates no table.',
          'The fields of `http`. Woof sends each chunk as the JSON body of a POST request with its own `Idempotency-Key`, with `append` only.',
        ],
      ],
    },
    "`duckdb`, `file` and `s3` run in the [sandbox](../sandbox.md). Files need `io_policy.allow_files` and must be in the document's folder.",
    'If the table does not exist, Woof creates it with the types of the source. From Postgres to Postgres, types stay the same but lose their lengths. `money`, and types that are not part of every Postgres, become text. In DuckDB and Parquet, `numeric` becomes `DECIMAL(38, 10)`, and Woof refuses a value with more decimals. To keep such values, create the table yourself or cast the column in the query. Maps in a JSON or Parquet file get the keys of all maps of their column.',
    'CSV and JSON lines get bytes as text, as Postgres writes them (`\\x00ff`), and a `numeric` with all its digits. In JSON lines, a `numeric` of more than 15 digits is text, because not every JSON reader keeps more digits. NaN and infinities are null there. When DuckDB reads a file, it guesses the types of the columns. Dates before year 1 cannot pass through DuckDB. Cast them to text.',
    'A retry continues after the last chunk that the target has, and duplicates nothing:',
    {
      table: [
        ['Target', 'How a retry continues'],
        [
          'Postgres and DuckDB with `append` or `upsert`',
          'Woof records each chunk in a table `woof_transfers`, in the same transaction. It removes these records from Postgres after 30 days.',
        ],
        [
          'Objects below a key',
          'The name of an object contains the ids of the transfer and the chunk, which has the same effect.',
        ],
        ['`http`', 'Woof sends all chunks again, each with the same idempotency key as before.'],
        [
          '`replace`, and a file or one object in any mode',
          'The target changes as a whole at the end, or not at all.',
        ],
      ],
    },
    'The source must therefore return its rows in the same order each time. Add `ORDER BY`. A retry of a transfer that succeeded moves nothing more. To move rows again, let the pipeline `jump` back to the task.',
    'Most errors are those of the source or target that failed: see [`postgres`](postgres.md), [`duckdb`](duckdb.md), [`s3`](s3.md) and [`http`](http.md).',
  ],
  result: [
    'The result is `{rows_transferred, chunks_processed}`. A transfer that was resumed also has `resumed_after_chunk`.',
  ],
  errors: [
    { kinds: ['policy'], when: 'The task uses a file without `io_policy.allow_files`.' },
    { kinds: ['not_found'], when: 'There is no object below the key.' },
    {
      kinds: ['parse'],
      when: 'A page of `http` is not JSON, or does not have a list of maps at `rows_path`.',
    },
    { kinds: ['schema'], when: 'A later page of `http` has a column that the first rows do not have.' },
    {
      kinds: ['client_error'],
      when: '`http` has too many pages, or the next page was already read or is at another origin.',
    },
    { kinds: ['storage'], when: 'A page of `http`, or all objects of `s3` together, are too large.' },
  ],
  example: `- load:
    kind: transfer
    source: {kind: postgres, auth: "{{ workload.database }}", query: "SELECT id, total FROM orders ORDER BY id"}
    target: {kind: file, path: orders.parquet}
    mode: replace
    spec:
      io_policy: {allow_files: true}
`,
};
