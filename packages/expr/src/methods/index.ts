/** Owns: which methods a value has, by its type. Only methods in these tables can be called. */
import { type Builtin, define, find, type Table } from '../builtin.ts';
import { isNumber, toNumber } from '../numbers.ts';
import { isDict, isFloat, isInt, Tuple, View } from '../values.ts';
import { dictMethods } from './dict-methods.ts';
import { listMethods, tupleMethods } from './list-methods.ts';
import { stringMethods } from './string-methods.ts';

const NONE: Table = {};

const intMethods: Table = {
  bit_length: define('', (_rt, value) => {
    const size = BigInt(value as number | bigint);
    return size === 0n ? 0 : (size < 0n ? -size : size).toString(2).length;
  }),
};

const floatMethods: Table = {
  is_integer: define('', (_rt, value) => isNumber(value) && Number.isInteger(toNumber(value))),
};

function tableOf(value: unknown): Table {
  if (typeof value === 'string') return stringMethods;
  if (value instanceof View) return NONE;
  if (value instanceof Tuple) return tupleMethods;
  if (Array.isArray(value)) return listMethods;
  if (isInt(value)) return intMethods;
  if (isFloat(value)) return floatMethods;
  return isDict(value) ? dictMethods : NONE;
}

export const methodOf = (value: unknown, name: string): Builtin | undefined => find(tableOf(value), name);
export const methodNames = (value: unknown): string[] => Object.keys(tableOf(value));
