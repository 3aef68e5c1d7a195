/** The meaning of DuckDB's errors, which begin with their kind and a colon. */
import { type ErrorKind, failure, type Outcome } from '@woof/net';

const KINDS: [pattern: RegExp, kind: ErrorKind, retryable?: boolean][] = [
  [/^(Permission|PermissionException)/, 'policy'],
  [/file system operations are disabled|disabled by configuration/, 'policy'],
  [/^IO Error: (Could not set lock|Cannot open file.*lock)/s, 'db_connection', true],
  [/^IO Error: (No files found|Cannot open file|No such)/s, 'not_found'],
  [/^(IO Error|HTTP Error)/, 'storage'],
  [/^Constraint Error/, 'db_constraint'],
  [/^(Transaction|TransactionContext) Error/, 'db_deadlock'],
  [/^Out of Memory Error/, 'storage'],
  [/^(Fatal|Internal) Error/i, 'server_error'],
  [
    /^(Parser|Binder|Catalog|Conversion|Invalid Input|Out of Range|Not implemented|Syntax|Dependency) Error/i,
    'client_error',
  ],
];

export function duckdbFailure(message: string, at: number, of: number): Outcome {
  const [, kind, retryable] = KINDS.find(([pattern]) => pattern.test(message)) ?? [
    /./,
    'client_error' as const,
  ];
  const where = of > 1 ? ` (statement ${at} of ${of})` : '';
  const fix =
    kind === 'policy'
      ? '; files need spec.io_policy.allow_files: true and must be in the document’s folder'
      : '';
  return failure(kind, `duckdb${where}: ${message.trim()}${fix}`, {
    ...(retryable === undefined ? {} : { retryable }),
    code: /^[A-Za-z ]+(?= Error)/.exec(message)?.[0] ?? 'error',
  });
}
