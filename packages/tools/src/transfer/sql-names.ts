import { FieldFault } from '../fields.ts';

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** `schema.table`, each part quoted. */
export function tableName(name: string | undefined, field: string): string {
  if (name === undefined) throw new FieldFault(`"${field}" is missing: write the name of a table`);
  if (!/^[^".\0]+(\.[^".\0]+){0,2}$/.test(name)) {
    throw new FieldFault(`"${field}" must be a table, or schema.table, without quotes`);
  }
  return name.split('.').map(quoted).join('.');
}

/** A source's query in a form that can be selected from. */
export function selection(query: string, mapping: [target: string, source: string][] | undefined): string {
  const columns =
    mapping?.map(([target, source]) => `${quoted(source)} AS ${quoted(target)}`).join(', ') ?? '*';
  return `SELECT ${columns} FROM (${query.trim().replace(/;\s*$/, '')}\n) AS q`;
}
