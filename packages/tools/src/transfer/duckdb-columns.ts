/**
 * Columns that pass through DuckDB: how a chunk is read, what a table stores, and what is written to a text file.
 *
 * CSV and JSON lines files contain bytes as Postgres writes them, `\x…`, and a `numeric` with every digit: their tables
 * store both as text. A number that JSON cannot represent with all its digits is text there.
 */
import { literal } from '../duckdb/duckdb-tables.ts';
import { type Column, typeInDuckdb } from './column-types.ts';
import { quoted } from './sql-names.ts';

/** The number of digits that every JSON reader preserves. */
const DIGITS = 15;

export function heldIn(format: string | undefined, { type }: Column): string {
  const isText = format === 'csv' || format === 'json';
  return isText && (type === 'bytea' || type === 'numeric') ? 'VARCHAR' : typeInDuckdb(type);
}

/** The type in which a field of a chunk is read; `takenIn` converts it. */
export function readAs({ type }: Column): string {
  return type === 'bytea' || type === 'numeric' || type === 'date' ? 'VARCHAR' : typeInDuckdb(type);
}

/** The expression that converts a field of a chunk for a table. */
export function takenIn(table: string, format: string | undefined, column: Column): string {
  const name = quoted(column.name);
  if (column.type === 'date') {
    const why = `${name} || ': DuckDB does not support this date; cast it to text in the query'`;
    return `CASE WHEN ${name} LIKE '%BC' THEN error(${why}) ELSE ${name}::DATE END`;
  }
  if (heldIn(format, column) === 'VARCHAR') return name;
  if (column.type === 'bytea') return `unhex(substr(${name}, 3))`;
  if (column.type !== 'numeric') return name;
  // A table that someone else created rounds as intended.
  const held = `(SELECT typeof(any_value(${name})) FROM (SELECT ${name} FROM ${table} LIMIT 0))`;
  const why = `${name} || ${literal(` has more than 10 decimals, which ${typeInDuckdb('numeric')} would cut off: cast it in the query, or create the table yourself`)}`;
  return `CASE WHEN regexp_matches(${name}, '[.][0-9]{10}[0-9]*[1-9]') AND ${held} = 'DECIMAL(38,10)' THEN error(${why}) ELSE ${name} END`;
}

/** An expression that is the same for equal values: a `numeric` is text here, perhaps with trailing zeros. */
export function identity(name: string, columns: readonly Column[]): string {
  const isNumeric = columns.some((column) => column.name === name && column.type === 'numeric');
  const of = quoted(name);
  return isNumeric ? `CASE WHEN contains(${of}, '.') THEN rtrim(rtrim(${of}, '0'), '.') ELSE ${of} END` : of;
}

export function givenTo(format: string, { name, type }: Column): string {
  const of = quoted(name);
  if (format !== 'json') return of;
  if (type === 'double') return `CASE WHEN isfinite(${of}) THEN to_json(${of}) END AS ${of}`;
  if (type !== 'numeric') return of;
  // The file's earlier values may be JSON, with quotes.
  const text = `trim(${of}, '"')`;
  const digits = `length(regexp_replace(${text}, '^[-0.]+|[^0-9]', '', 'g'))`;
  const isNumber = `regexp_full_match(${text}, '-?[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?') AND ${digits} <= ${DIGITS}`;
  const isNotFinite = `lower(${text}) IN ('nan', 'infinity', '-infinity')`;
  return `CASE WHEN ${isNotFinite} THEN NULL WHEN ${isNumber} THEN ${text}::JSON ELSE to_json(${text}) END AS ${of}`;
}
