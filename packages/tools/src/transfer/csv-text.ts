/**
 * Rows as CSV, the form in which they pass from every source to every target: an empty field without quotes is null, a
 * quoted field is text. Postgres and DuckDB write and read the same form.
 */
import { decimalNumber, decodeJson, encodeJson, floatOrNull, type Json, plainNumber } from '@woof/net';
import type { ColumnType } from './column-types.ts';

export function csvLine(row: readonly (Json | undefined)[]): string {
  return `${row.map(csvField).join(',')}\n`;
}

function csvField(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  if (plainNumber(value) !== undefined || typeof value === 'boolean') return encodeJson(value);
  const text = typeof value === 'string' ? value : encodeJson(value);
  return `"${text.replaceAll('"', '""')}"`;
}

const FIELD = /(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n)/gy;

/** The rows of complete lines, each field with the type of its column. */
export function csvRows(text: string, types: readonly ColumnType[]): Json[][] {
  const rows: Json[][] = [];
  let row: Json[] = [];
  for (const [, quoted, bare = '', end] of text.matchAll(FIELD)) {
    const field = quoted?.replaceAll('""', '"') ?? (bare === '' ? null : bare);
    row.push(field === null ? null : typed(field, types[row.length] ?? 'text'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

function typed(field: string, type: ColumnType): Json {
  if (type === 'boolean') return /^t/i.test(field);
  if (type === 'json') return decodeJson(field);
  if (type === 'double') return floatOrNull(Number(field));
  return type === 'bigint' || type === 'numeric' ? decimalNumber(field) : field;
}
