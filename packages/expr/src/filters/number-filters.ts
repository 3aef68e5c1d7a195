/** Owns: filters that produce or format numbers. */
import { define, type Table } from '../builtin.ts';
import { truthy } from '../compare.ts';
import { isNumber, makeInt, negate, type PyNumber, toIndex, toNumber } from '../numbers.ts';
import { readFloat, readInt, roundFloat, roundInt } from '../python-number.ts';
import type { Runtime } from '../runtime.ts';
import { typeFault, valueFault } from '../template-error.ts';
import { isInt, makeFloat, typeName } from '../values.ts';

function toInt(_rt: Runtime, value: unknown, fallback: unknown = 0, base: unknown = 10): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (isInt(value)) return value;
  if (isNumber(value)) return truncate(toNumber(value)) ?? fallback;
  if (typeof value !== 'string') return fallback;
  const direct = readInt(value, toIndex(base, 'the base'));
  if (direct !== undefined) return direct;
  const float = readFloat(value);
  return float === undefined ? fallback : (truncate(float) ?? fallback);
}

/** JS undefined for a NaN float. */
function truncate(value: number): number | bigint | undefined {
  if (Number.isNaN(value)) return undefined;
  if (!Number.isFinite(value)) throw valueFault('an infinite float has no integer value');
  const whole = Math.trunc(value);
  return Number.isSafeInteger(whole) ? whole + 0 : makeInt(BigInt(whole));
}

function toFloat(_rt: Runtime, value: unknown, fallback: unknown = makeFloat(0)): unknown {
  if (isNumber(value)) return makeFloat(toNumber(value));
  const float = typeof value === 'string' ? readFloat(value) : undefined;
  return float === undefined ? fallback : makeFloat(float);
}

function round(_rt: Runtime, value: unknown, precision: unknown = 0, method: unknown = 'common'): PyNumber {
  if (!isNumber(value))
    throw typeFault(`round needs a number, got ${typeName(value)}`, 'convert it first, with "| float"');
  const digits = toIndex(precision, 'the precision');
  if (method === 'common') {
    const whole = typeof value === 'boolean' ? Number(value) : value;
    return isInt(whole) ? roundInt(whole, digits) : makeFloat(roundFloat(toNumber(value), digits));
  }
  if (method !== 'ceil' && method !== 'floor')
    throw valueFault('the method must be "common", "ceil" or "floor"');
  const unit = 10 ** digits;
  return makeFloat(Math[method](toNumber(value) * unit) / unit);
}

function abs(_rt: Runtime, value: unknown): PyNumber {
  if (!isNumber(value)) throw typeFault(`abs needs a number, got ${typeName(value)}`);
  const negative = toNumber(value) < 0 || Object.is(toNumber(value), -0);
  return negative && typeof value !== 'boolean'
    ? negate(value)
    : typeof value === 'boolean'
      ? Number(value)
      : value;
}

const DECIMAL_UNITS = ['kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB'];
const BINARY_UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB', 'YiB'];

function filesizeformat(_rt: Runtime, value: unknown, binary: unknown): string {
  const bytes = isNumber(value) ? toNumber(value) : typeof value === 'string' ? readFloat(value) : undefined;
  if (bytes === undefined) throw typeFault(`filesizeformat needs a number, got ${typeName(value)}`);
  const base = truthy(binary) ? 1024 : 1000;
  if (bytes === 1) return '1 Byte';
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`;
  const units = truthy(binary) ? BINARY_UNITS : DECIMAL_UNITS;
  const found = units.findIndex((_, index) => bytes < base ** (index + 2));
  const index = found < 0 ? units.length - 1 : found;
  return `${((base * bytes) / base ** (index + 2)).toFixed(1)} ${units[index]}`;
}

export const numberFilters: Table = {
  abs: define('', abs),
  filesizeformat: define('binary', filesizeformat),
  float: define('default', toFloat),
  int: define('default base', toInt),
  round: define('precision method', round),
};
