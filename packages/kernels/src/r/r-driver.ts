/** R cells: requests as expressions of R. */
import type { Json } from '@woof/net';
import type { Driver } from '../driver.ts';
import { findR, rEnvironment, rFolders } from './find-r.ts';
import { R_CORE } from './r-core.ts';

export const rDriver: Driver = {
  language: 'r',
  channel: 'embedded',
  interrupts: false,
  captures: false,
  async launch() {
    const r = await findR();
    return {
      argv: [`${r.home}/bin/exec/R`, '--no-echo', '--vanilla', '-e', R_CORE],
      env: rEnvironment(r),
      readOnly: rFolders(r),
    };
  },
  encode({ n, token, do: command, ...rest }) {
    return `list(n = ${n}L, token = "${token}", do = "${command}", ${fields(rest)})\n`;
  },
};

function fields(values: object): string {
  return Object.entries(values)
    .map(([key, value]) => `${quote(key)} = ${toR(value as Json)}`)
    .join(', ');
}

/** JSON as R writes it: lists of equal kind as vectors, maps as named lists. */
export function toR(value: Json): string {
  if (value === null) return 'NULL';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return quote(value);
  if (!Array.isArray(value)) return `list(${fields(value)})`;
  const kinds = new Set(value.map((item) => typeof item));
  const plain = kinds.size === 1 && !kinds.has('object');
  return `${plain ? 'c' : 'list'}(${value.map(toR).join(', ')})`;
}

/** R takes every escape of JSON, but neither a zero byte nor half a character. */
function quote(text: string): string {
  return JSON.stringify(text.replaceAll('\0', '').replaceAll(/\p{Surrogate}/gu, '\ufffd'));
}
