/** Tables passed between languages: columns by name, which preserve types and missing values. */
import { encodeJson, isObject, type Json, type JsonObject } from '@woof/net';
import type { Driver } from './driver.ts';
import type { Table, Tables } from './kernel.ts';

/** Validates what a kernel says is a table. */
export function isTable(value: unknown): value is Table {
  if (!isObject(value)) return false;
  const columns = Object.values(value);
  return columns.every((column) => Array.isArray(column) && column.length === (columns[0] as Json[]).length);
}

/** For a language without data frames, tables are ordinary entries of the value. */
export function spellTables(
  form: Driver['tables'],
  value: Json,
  tables: Tables,
): { value: Json; tables: Tables } {
  if (form === 'columns' || !isObject(value)) return { value, tables };
  const spelled: JsonObject = { ...value };
  for (const [name, table] of Object.entries(tables)) {
    spelled[name] = form === 'csv' ? toCsv(table) : toRecords(table);
  }
  return { value: spelled, tables: {} };
}

function toRecords(table: Table): JsonObject[] {
  return rowsOf(table).map((row) => Object.fromEntries(Object.keys(table).map((name, i) => [name, row[i]!])));
}

function toCsv(table: Table): string {
  return [Object.keys(table), ...rowsOf(table)].map((row) => `${row.map(csvField).join(',')}\n`).join('');
}

function rowsOf(table: Table): Json[][] {
  const columns = Object.values(table);
  return (columns[0] ?? []).map((_, row) => columns.map((column) => column[row] ?? null));
}

function csvField(value: Json): string {
  if (value === null) return '';
  const text = typeof value === 'string' ? value : encodeJson(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
