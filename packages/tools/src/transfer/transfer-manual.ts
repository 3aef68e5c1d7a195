import type { ToolManual } from '../tool-manual.ts';

export const transferManual: ToolManual = {
  about: [
    'Moves rows from one place to another, in chunks: one is read while the one before is written, whatever their number.',
  ],
  details: [
    {
      table: [
        ['`kind`', 'as source', 'as target'],
        [
          '`postgres`',
          '`query` with `params` (a list), or `table`; the connection as in [`postgres`](postgres.md)',
          '`table` or `schema.table`',
        ],
        ['`duckdb`', '`query` or `table`, `database` (a file)', '`database`, `table`'],
        ['`file`', '`path`: CSV, JSON lines or Parquet, by its ending or `format`', '`path`'],
        [
          '`s3`',
          '`key`: one object, CSV, JSON lines or Parquet by its ending or `format`; with a slash at its end, all objects below it with the ending of `format` (JSON lines unless set), in the order of their keys. The rest as in [`s3`](s3.md); `max_bytes` is for all of them together',
          '`key`: one object, as a file; with a slash at its end, an object of JSON lines a chunk, only `append`',
        ],
        [
          '`http`',
          'the fields of [`http`](http.md); `rows_path` leads to the list in the body, `next_path` to the address of the next page (a `Link` header with `rel="next"` unless set). The first page with rows tells the columns (unless there is a `mapping`) and their types; no rows at all make no table',
          'the fields of `http`: each chunk is the JSON body of a POST with an `Idempotency-Key` of its own; only `append`',
        ],
      ],
    },
    "`duckdb`, `file` and `s3` run in the [sandbox](../sandbox.md); files need `io_policy.allow_files` and lie in the document's folder.",
    'A table that is missing is made, with the types of the source. From Postgres to Postgres they stay what they are, without lengths, but for `money` and types that do not come with every Postgres, which become text. `numeric` becomes `DECIMAL(38, 10)` in DuckDB and Parquet, and a value with more decimals is refused: make the table yourself, or cast it in the query. Maps in a JSON or Parquet file get the keys of all maps of their column.',
    'CSV and JSON lines get bytes as text, as Postgres writes them (`\\x00ff`), and a `numeric` with all its digits. In JSON lines a `numeric` of more than 15 digits is text, for not every reader of JSON keeps more, and NaN and infinities are null. Where a file is read, DuckDB guesses the types of its columns. Dates before our era do not pass through DuckDB: cast them to text.',
    'A retry goes on after the last chunk that the target has, and doubles nothing: with `append` and `upsert`, Postgres and DuckDB note each chunk in a table `woof_transfers`, in the same transaction (notes in Postgres go after 30 days). So let the source give its rows in the same order each time: add `ORDER BY`. Objects below a key are named after the transfer and the chunk, which says the same; `http` gets all chunks again, each with the key that it had. A retry of a transfer that succeeded moves nothing more: let the pipeline `jump` back to the task for that. `replace`, and a file or one object in any mode, changes as a whole at the end or not at all.',
    'Most errors are those of the end that failed: see [`postgres`](postgres.md), [`duckdb`](duckdb.md), [`s3`](s3.md) and [`http`](http.md).',
  ],
  result: [
    'The result is `{rows_transferred, chunks_processed}`; one that was resumed also has `resumed_after_chunk`.',
  ],
  errors: [
    { kinds: ['policy'], when: 'a file without `io_policy.allow_files`' },
    { kinds: ['not_found'], when: 'no object lies below the key' },
    {
      kinds: ['parse'],
      when: 'a page of `http` is not JSON, or holds no list of maps where rows are wanted',
    },
    { kinds: ['schema'], when: 'a later page of `http` has a column that the first rows do not have' },
    {
      kinds: ['client_error'],
      when: '`http` has too many pages, the next one was there before, or it is at another origin',
    },
    { kinds: ['storage'], when: 'a page of `http`, or all objects of `s3` together, are too large' },
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
