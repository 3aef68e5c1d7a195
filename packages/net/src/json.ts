export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deep merge for spec layers: maps merge, the inner layer wins on conflicts, lists and scalars replace. */
export function mergeLayers(...layers: (JsonObject | undefined)[]): JsonObject {
  const merged: JsonObject = {};
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer ?? {})) {
      const outer = Object.hasOwn(merged, key) ? merged[key] : undefined;
      define(merged, key, isObject(outer) && isObject(value) ? mergeLayers(outer, value) : value);
    }
  }
  return merged;
}

/** Sets an own key, also where the key is `__proto__`. */
export function define(target: JsonObject, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}
