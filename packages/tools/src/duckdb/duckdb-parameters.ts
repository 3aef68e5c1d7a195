/** Parameters with the type as which DuckDB binds each, so that 1 and 1.0 differ and no int loses digits. */
import { encodeJson, Float, type Json } from '@woof/net';

type Bound = ['null'] | ['int', digits: string] | ['float', number] | ['boolean', boolean] | ['text', string];

export function boundParameters(
  params: Json[] | Record<string, Json> | null,
): Bound[] | Record<string, Bound> | null {
  if (params === null) return null;
  if (Array.isArray(params)) return params.map(bound);
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, bound(value)]));
}

function bound(value: Json): Bound {
  if (value === null) return ['null'];
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return ['int', String(value)];
  if (typeof value === 'number') return ['float', value];
  if (value instanceof Float) return ['float', value.value];
  if (typeof value === 'boolean') return ['boolean', value];
  return ['text', typeof value === 'string' ? value : encodeJson(value)];
}
