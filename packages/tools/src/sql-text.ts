/** The SQL of a task, for every kind that runs SQL. */
import { isObject, type Json, type JsonObject } from '@woof/net';
import { FieldFault, fault, isGiven } from './fields.ts';

/** The fields that may contain it. */
export const SQL_FIELDS = ['command', 'commands', 'query'] as const;

export function sqlText(input: JsonObject): string {
  const name = SQL_FIELDS.find((each) => isGiven(input[each]));
  if (name === undefined)
    throw new FieldFault('"command" is missing: write the SQL to run, or script: {uri: file.sql}');
  const value = input[name];
  const texts = Array.isArray(value) ? value : [value];
  if (!texts.every((text) => typeof text === 'string'))
    throw fault(name, 'SQL as text or as a list of texts', value);
  const text = texts.join(';\n');
  if (text.includes('\0')) throw new FieldFault(`"${name}" must not contain a NUL byte`);
  return text;
}

/** `named`: the form of a named placeholder in this kind. */
export function sqlParams({ params }: JsonObject, named: string): Json[] | JsonObject | undefined {
  if (!isGiven(params)) return undefined;
  if (Array.isArray(params) || isObject(params)) return params;
  throw fault('params', `a list for $1, $2, or a map for ${named}`, params);
}
