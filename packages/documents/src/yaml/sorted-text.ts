import { define, encodeJson, isObject, type Json, type JsonObject } from '@woof/net';

/** JSON text that is the same for equal values, whatever the order of their keys. */
export function sortedText(value: Json | undefined): string {
  return value === undefined ? '' : encodeJson(sorted(value));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const made: JsonObject = {};
  for (const key of Object.keys(value).sort()) define(made, key, sorted(value[key]!));
  return made;
}
