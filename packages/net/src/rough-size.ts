/** The approximate size of a value as JSON, in bytes: cheap, for limits, never for anything that must be exact. */
import type { Json, JsonObject } from './json.ts';

const SCALAR = 8;
const OVERHEAD = 2;

export function roughSize(value: Json | undefined): number {
  if (typeof value === 'string') return value.length + OVERHEAD;
  if (typeof value !== 'object' || value === null) return SCALAR;
  let size = OVERHEAD;
  if (Array.isArray(value)) {
    for (const item of value) size += roughSize(item);
    return size;
  }
  for (const key in value) size += key.length + OVERHEAD + roughSize((value as JsonObject)[key]);
  return size;
}
