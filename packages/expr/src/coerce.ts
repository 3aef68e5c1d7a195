/** Owns: what filters, methods and functions accept as an argument, and the errors for everything else. */
import { toIndex } from './numbers.ts';
import { typeFault } from './template-error.ts';
import { typeName } from './values.ts';

export function needString(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw typeFault(`${what} must be a string, got ${typeName(value)}`, 'convert it with "| string"');
}

/** An optional string; none counts as not given. */
export const optionalString = (value: unknown, what: string): string | undefined =>
  value === undefined || value === null ? undefined : needString(value, what);

/** An optional int; none counts as not given. */
export const optionalIndex = (value: unknown, what: string): number | undefined =>
  value === undefined || value === null ? undefined : toIndex(value, what);
