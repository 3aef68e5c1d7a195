/** What a tool is given of its rendered fields: values, and references only where it reads the store itself. */
import { isArrow } from '@woof/arrow';
import { withinBytes } from '@woof/expr';
import {
  type FieldSchema,
  hasStoredParts,
  isObject,
  isReference,
  type JobPort,
  type Json,
  type JsonObject,
  naming,
  type Reference,
  settled,
} from '@woof/net';

type Load = (reference: Reference) => unknown;

export function settledInput(
  input: JsonObject,
  fields: Record<string, FieldSchema>,
  { load, loadableBytes }: JobPort['host'],
): JsonObject {
  if (load === undefined) return input;
  let changed: JsonObject | undefined;
  for (const [name, value] of Object.entries(input)) {
    if (typeof value !== 'object' || value === null) continue;
    const stored = Object.hasOwn(fields, name) ? fields[name]?.stored : undefined;
    const whole = settledField(value, stored, naming(`"${name}"`, withinBytes(loadableBytes, load)));
    if (whole === value) continue;
    changed ??= { ...input };
    changed[name] = whole;
  }
  return changed ?? input;
}

function settledField(value: Json, stored: FieldSchema['stored'], load: Load): Json {
  switch (stored) {
    case 'kept':
      return value;
    case 'fields':
      return isReference(value) ? (load(value) as Json) : value;
    case 'streamed':
      return isJsonBytes(value) ? value : settled(value, load);
    case 'tables':
      return isObject(value) && !isReference(value) ? settledTables(value, load) : settled(value, load);
    default:
      return settled(value, load);
  }
}

function settledTables(tables: JsonObject, load: Load): JsonObject {
  const parts = Object.entries(tables).map(
    ([name, table]) => [name, isRows(table) ? table : settled(table, load)] as const,
  );
  return Object.fromEntries(parts);
}

/** Its bytes are its value as JSON, or a table that the tool can make JSON of. */
function isJsonBytes(value: Json): boolean {
  if (!isReference(value) || hasStoredParts(value)) return false;
  const { type } = hintIn(value);
  return isArrow(value) || type === 'list' || type === 'object';
}

/** Its bytes are rows. */
function isRows(value: Json): boolean {
  if (!isReference(value) || hasStoredParts(value)) return false;
  const { type, items, columns, length } = hintIn(value);
  return (
    isArrow(value) || (type === 'list' && length !== 0 && (items === 'objects' || Array.isArray(columns)))
  );
}

const hintIn = ({ schema_hint }: Reference): JsonObject => (isObject(schema_hint) ? schema_hint : {});
