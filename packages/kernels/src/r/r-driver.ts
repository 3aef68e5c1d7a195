/** R cells: requests are R expressions. */
import { encodeJson, Float, isObject, type Json } from '@woof/net';
import type { Driver } from '../driver.ts';
import type { Tables } from '../kernel.ts';
import { findR, rEnvironment, rFolders } from './find-r.ts';
import R_CORE from './r-core.R?raw';
import R_INTEGERS from './r-integers.R?raw';
import R_JSON from './r-json.R?raw';
import R_POLICY from './r-policy.R?raw';
import R_START from './r-start.R?raw';
import R_STATE from './r-state.R?raw';

const SOURCE = `local({\n${R_START}${R_JSON}${R_CORE}})\n`;

export const rDriver: Driver = {
  language: 'r',
  channel: 'embedded',
  interrupts: false,
  captures: false,
  checksPolicy: false,
  moves: true,
  tables: 'columns',
  async launch() {
    const r = await findR();
    return {
      argv: [`${r.home}/bin/exec/R`, '--no-echo', '--vanilla', '-e', compact(SOURCE)],
      env: rEnvironment(r),
      readOnly: rFolders(r),
    };
  },
  encode({ n, token, do: command, ...rest }) {
    const { tables, ...others } = rest as typeof rest & { tables?: Tables | boolean };
    const parts = command === 'hello' ? { parts: R_INTEGERS + R_STATE + R_POLICY } : {};
    const more = tables === undefined ? [] : [`tables = ${tablesToR(tables)}`];
    const spelled = [`n = ${n}L`, fields({ token, do: command, ...others, ...parts }), ...more];
    return `list(${spelled.join(', ')})\n`;
  },
};

/** Removes indentation and comments, because R drops an expression of more than 10,000 bytes. */
function compact(source: string): string {
  return source.replaceAll(/^[^\S\n]+/gm, '').replaceAll(/^#.*\n/gm, '');
}

/** One vector per column, with R's own types and NA for missing values. */
export function tablesToR(tables: Tables | boolean): string {
  if (typeof tables === 'boolean') return toR(tables);
  const columns = (table: Tables[string]) =>
    namedList(Object.entries(table).map(([column, values]) => [column, toVector(values)]));
  return namedList(Object.entries(tables).map(([name, table]) => [name, columns(table)]));
}

function toVector(values: readonly Json[]): string {
  if (values.length === 0) return 'logical(0)';
  if (areIntegers(values)) return exactIntegers(values);
  const items = values.map((value) => {
    if (value === null) return 'NA';
    if (typeof value === 'bigint') return quote(String(value));
    return toR(Array.isArray(value) || isObject(value) ? encodeJson(value) : value);
  });
  return `c(${items.join(', ')})`;
}

function fields(values: object): string {
  return Object.entries(values)
    .map(([key, value]) => `${quote(key)} = ${toR(value as Json)}`)
    .join(', ');
}

/** R has no syntax for an empty name, nor for an empty list with names. */
function namedList(entries: [name: string, spelled: string][]): string {
  const names = entries.map(([name]) => quote(name));
  if (names.length > 0 && !names.includes('""'))
    return `list(${entries.map(([, spelled], i) => `${names[i]} = ${spelled}`).join(', ')})`;
  const values = entries.map(([, spelled]) => spelled);
  return `structure(list(${values.join(', ')}), names = c(${['character()', ...names].join(', ')}))`;
}

/** JSON in R syntax: lists of one kind as vectors, maps as named lists. */
export function toR(value: Json): string {
  if (value === null) return 'NULL';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'number') return numberToR(value);
  if (value instanceof Float) return value.toString();
  if (typeof value === 'bigint') return exactIntegers([value]);
  if (typeof value === 'string') return quote(value);
  if (!Array.isArray(value)) return namedList(Object.entries(value).map(([key, item]) => [key, toR(item)]));
  if (areIntegers(value)) return exactIntegers(value);
  const kinds = new Set(value.map(kindOf));
  const plain = kinds.size === 1 && !kinds.has('object');
  return `${plain ? 'c' : 'list'}(${value.map(toR).join(', ')})`;
}

/** Whether R's numbers would change the digits of at least one of these integers. A table also has missing values. */
function areIntegers(values: readonly Json[]): boolean {
  if (!values.some((value) => typeof value === 'bigint')) return false;
  return values.every((value) => value === null || typeof value === 'bigint' || Number.isInteger(value));
}

/** A vector of the class of r-integers.R. */
function exactIntegers(values: readonly Json[]): string {
  const digits = values.map((value) => (value === null ? 'NA' : quote(String(value))));
  return `structure(${digits.length === 1 ? digits[0] : `c(${digits.join(', ')})`}, class = "exact_integer")`;
}

/** R's own integers have 32 bits. */
function numberToR(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? `${value}L` : String(value);
}

/** All items of a vector have the same kind: ints among floats become floats. */
function kindOf(value: Json): string {
  return value instanceof Float ? 'number' : typeof value;
}

/** R accepts every JSON escape, but neither a zero byte nor a lone surrogate. */
function quote(text: string): string {
  return JSON.stringify(text.replaceAll('\0', '').replaceAll(/\p{Surrogate}/gu, '\ufffd'));
}
