/**
 * Rows in the text format of `COPY … FROM STDIN`. The values of a map are matched by column names, never by their order
 * in the map.
 */
import { isObject, type Json, type JsonObject } from '@woof/net';
import { FieldFault } from '../fields.ts';
import type { PostgresSession } from './postgres-session.ts';
import { columnText } from './postgres-values.ts';
import { bare } from './split-sql.ts';

export interface CopyColumns {
  columns: { name: string; type: number }[];
  /** The statement lists the columns, so any that a row lacks are omitted on purpose. */
  areListed: boolean;
}

const NAME = '(?:"(?:[^"]|"")+"|[A-Za-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)';
const COPY = new RegExp(
  `^copy\\s+(${NAME}(?:\\s*\\.\\s*${NAME})*)\\s*(?:\\(\\s*(${NAME}(?:\\s*,\\s*${NAME})*)\\s*\\)\\s*)?\\bfrom\\s+stdin\\b(.*)$`,
  'is',
);
/** Options that change the format that the server reads. */
const FORM = /\b(csv|binary|delimiters?|null|header|quote|escape|default|encoding|force\w*)\b/i;

const COLUMNS = `SELECT attname::text, atttypid::int8 FROM pg_attribute
  WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`;

/** Call this before the statement runs, in the same session, because a table may be visible only there. */
export async function copyColumns(session: PostgresSession, statement: string): Promise<CopyColumns> {
  const [, table, list, options = ''] = COPY.exec(bare(statement)) ?? [];
  if (table === undefined) {
    throw new FieldFault(
      'a list of rows in "data" needs a statement such as COPY table (columns) FROM STDIN, without comments in it',
    );
  }
  const [form] = FORM.exec(options.split(/\bwhere\b/i, 1)[0]!) ?? [];
  if (form !== undefined) {
    throw new FieldFault(
      `a list of rows in "data" is sent in the text format: remove "${form}" from COPY, or write "data" as text`,
    );
  }
  const columns: CopyColumns['columns'] = [];
  for await (const { rows } of session.query(COLUMNS, [table], 1000))
    for (const [name, type] of rows) columns.push({ name: name as string, type: type as number });
  if (list === undefined) return { columns, areListed: false };
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const names = [...list.matchAll(new RegExp(NAME, 'g'))].map(([name]) => meantBy(name));
  return { columns: names.map((name) => ({ name, type: types.get(name) ?? 0 })), areListed: true };
}

/** As the server reads a name: an unquoted one is in lower case. */
function meantBy(name: string): string {
  if (name.startsWith('"')) return name.slice(1, -1).replaceAll('""', '"');
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export async function* copyLines(
  batches: AsyncIterable<Json[]>,
  target: CopyColumns,
): AsyncGenerator<Uint8Array> {
  let before = 0;
  for await (const rows of batches) {
    yield Buffer.from(rows.map((row, index) => lineOf(row, target, before + index + 1)).join(''));
    before += rows.length;
  }
}

function lineOf(row: Json, target: CopyColumns, number: number): string {
  if (!Array.isArray(row) && !isObject(row))
    throw new FieldFault(`"data": row ${number} must be a list or a map`);
  const values = Array.isArray(row) ? row : valuesOf(row, target, number);
  return `${values.map((value, index) => fieldOf(value, target.columns[index]?.type ?? 0)).join('\t')}\n`;
}

function valuesOf(row: JsonObject, { columns, areListed }: CopyColumns, number: number): Json[] {
  const names = columns.map(({ name }) => name);
  const missing = names.find((name) => !Object.hasOwn(row, name));
  if (missing !== undefined && !areListed) {
    throw new FieldFault(
      `"data": row ${number} has no "${missing}"; to omit columns, name the others: COPY table (columns) FROM STDIN`,
    );
  }
  const unknown = Object.keys(row).find((key) => !names.includes(key));
  if (unknown !== undefined) {
    throw new FieldFault(
      `"data": row ${number} has "${unknown}", which is not a column of the COPY; its columns are ${names.join(', ')}`,
    );
  }
  return names.map((name) => (Object.hasOwn(row, name) ? (row[name] as Json) : null));
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function fieldOf(value: Json, type: number): string {
  if (value === null) return '\\N';
  return columnText(value, type).replace(/[\\\t\n\r]/g, (char) => ESCAPES[char]!);
}
