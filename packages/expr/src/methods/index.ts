/** Owns: which methods a value has, by its type. */
import { type Builtin, find, type Table } from '../builtin.ts';

const EMPTY: Table = {};
const tableOf = (_value: unknown): Table => EMPTY;
export const methodOf = (value: unknown, name: string): Builtin | undefined => find(tableOf(value), name);
export const methodNames = (value: unknown): string[] => Object.keys(tableOf(value));
