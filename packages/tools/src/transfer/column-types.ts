/** The types that are preserved between databases. Everything else passes as text. */

export type ColumnType =
  | 'boolean'
  | 'bigint'
  | 'double'
  | 'numeric'
  | 'text'
  | 'json'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamptz'
  | 'uuid'
  | 'bytea';

export interface Column {
  name: string;
  type: ColumnType;
  /** Its original type, if the source is Postgres and every other Postgres has it too. */
  inPostgres?: string;
}

const OF_POSTGRES: Record<number, ColumnType> = {
  16: 'boolean',
  17: 'bytea',
  20: 'bigint',
  21: 'bigint',
  23: 'bigint',
  26: 'bigint',
  114: 'json',
  700: 'double',
  701: 'double',
  1082: 'date',
  1083: 'time',
  1114: 'timestamp',
  1184: 'timestamptz',
  1700: 'numeric',
  2950: 'uuid',
  3802: 'json',
};

export function typeOfPostgres(oid: number): ColumnType {
  return OF_POSTGRES[oid] ?? 'text';
}

export function typeInPostgres({ type, inPostgres }: Column): string {
  if (inPostgres !== undefined) return inPostgres;
  return type === 'double' ? 'double precision' : type === 'json' ? 'jsonb' : type;
}

const OF_DUCKDB: [pattern: RegExp, type: ColumnType][] = [
  [/^BOOLEAN$/, 'boolean'],
  [/^U?(TINYINT|SMALLINT|INTEGER)$|^BIGINT$/, 'bigint'],
  [/^(UBIGINT|U?HUGEINT|BIGNUM|DECIMAL.*)$/, 'numeric'],
  [/^(FLOAT|DOUBLE)$/, 'double'],
  [/^DATE$/, 'date'],
  [/^TIME$/, 'time'],
  [/^TIMESTAMP( WITH TIME ZONE|TZ)$/, 'timestamptz'],
  [/^TIMESTAMP/, 'timestamp'],
  [/^UUID$/, 'uuid'],
  [/^BLOB$/, 'bytea'],
  [/^JSON$|\[\d*\]$|^(STRUCT|MAP|UNION)/, 'json'],
];

export function typeOfDuckdb(name: string): ColumnType {
  return OF_DUCKDB.find(([pattern]) => pattern.test(name))?.[1] ?? 'text';
}

/** A Postgres numeric is unbounded; DuckDB's widest type has 38 digits. */
const IN_DUCKDB: Partial<Record<ColumnType, string>> = {
  text: 'VARCHAR',
  numeric: 'DECIMAL(38, 10)',
  bytea: 'BLOB',
};

export function typeInDuckdb(type: ColumnType): string {
  return IN_DUCKDB[type] ?? type.toUpperCase();
}
