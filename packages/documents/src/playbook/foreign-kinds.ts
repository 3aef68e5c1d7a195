/** Tool kinds of other systems, with the kind to use instead. */

const CLIENT = 'use `python` or `container` with your own client library';
const SERVICES =
  'snowflake bigquery redshift mysql mariadb mssql oracle mongodb redis clickhouse databricks gcs azure kafka rabbitmq pubsub slack email'.split(
    ' ',
  );

const INSTEAD: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SERVICES.map((kind) => [kind, `${CLIENT}, or \`http\` if the service has an API`])),
  ducklake: `use \`duckdb\`, which reads and writes Parquet files and DuckDB databases; for a DuckLake catalog, ${CLIENT}`,
  script: 'use `python` with script: {uri: …}, or `container` to run it in an image',
  ...Object.fromEntries(['bash', 'sh', 'command', 'exec'].map((kind) => [kind, 'use `shell`'])),
  ...Object.fromEntries(['docker', 'kubernetes', 'k8s', 'job'].map((kind) => [kind, 'use `container`'])),
  sql: 'use `postgres` or `duckdb`',
};

export const insteadOfKind = (kind: string): string | undefined =>
  Object.hasOwn(INSTEAD, kind) ? INSTEAD[kind] : undefined;

/** Follows the list of all kinds. */
export const OTHER_SERVICE = `for another service, ${CLIENT}`;
