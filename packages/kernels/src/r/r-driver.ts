/** R cells: requests are R expressions. */
import { encodeJson, Float, isObject, type Json } from '@woof/net';
import type { Driver } from '../driver.ts';
import type { Tables } from '../kernel.ts';
import { findR, rEnvironment, rFolders } from './find-r.ts';
import R_CORE from './r-core.R?raw';
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
    const parts = command === 'hello' ? { parts: R_STATE + R_POLICY } : {};
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
  const spelled = Object.entries(tables).map(([name, table]) => {
    const columns = Object.entries(table).map(([column, values]) => `${quote(column)} = ${toVector(values)}`);
    return `${quote(name)} = list(${columns.join(', ')})`;
  });
  return `list(${spelled.join(', ')})`;
}

function toVector(values: readonly Json[]): string {
  if (values.length === 0) return 'logical(0)';
  const items = values.map((value) => {
    if (value === null) return 'NA';
    return toR(Array.isArray(value) || isObject(value) ? encodeJson(value) : value);
  });
  return `c(${items.join(', ')})`;
}

function fields(values: object): string {
  return Object.entries(values)
    .map(([key, value]) => `${quote(key)} = ${toR(value as Json)}`)
    .join(', ');
}

/** JSON in R syntax: lists of one kind as vectors, maps as named lists. */
export function toR(value: Json): string {
  if (value === null) return 'NULL';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'number') return numberToR(value);
  if (value instanceof Float) return value.toString();
  // R computes with doubles, which would change the digits.
  if (typeof value === 'bigint') return quote(String(value));
  if (typeof value === 'string') return quote(value);
  if (!Array.isArray(value)) return `list(${fields(value)})`;
  const kinds = new Set(value.map(kindOf));
  const plain = kinds.size === 1 && !kinds.has('object');
  return `${plain ? 'c' : 'list'}(${value.map(toR).join(', ')})`;
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
