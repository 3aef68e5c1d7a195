/** What a tool is given of its rendered fields: values, and references only where it reads the store itself. */
import { isArrow } from '@woof/arrow';
import {
  type FieldSchema,
  isObject,
  isReference,
  type Json,
  type JsonObject,
  type Reference,
  settled,
} from '@woof/net';

type Load = (reference: Reference) => unknown;

export function settledInput(
  input: JsonObject,
  fields: Record<string, FieldSchema>,
  load: Load | undefined,
): JsonObject {
  if (load === undefined) return input;
  let changed: JsonObject | undefined;
  for (const [name, value] of Object.entries(input)) {
    if (typeof value !== 'object' || value === null) continue;
    const whole = settledField(value, Object.hasOwn(fields, name) ? fields[name]?.stored : undefined, load);
    if (whole === value) continue;
    changed ??= { ...input };
    changed[name] = whole;
  }
  return changed ?? input;
}

function settledField(value: Json, stored: FieldSchema['stored'], load: Load): Json {
  if (stored === 'kept' || (stored === 'streamed' && isStreamable(value))) return value;
  if (stored !== 'streamed' || isReference(value) || !isObject(value)) return settled(value, load);
  const parts = Object.entries(value).map(
    ([key, part]) => [key, isStreamable(part) ? part : settled(part, load)] as const,
  );
  return Object.fromEntries(parts);
}

/** Its bytes are its value as JSON, or the rows of a table. */
function isStreamable(value: Json): boolean {
  if (!isReference(value)) return false;
  const { type, holds_stored } = isObject(value.schema_hint) ? value.schema_hint : {};
  return isArrow(value) || ((type === 'list' || type === 'object') && holds_stored !== true);
}
