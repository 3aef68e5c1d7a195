/** The rendered fields that a tool receives: values, and references only if the tool reads the store itself. */
import { isArrow } from '@woof/arrow';
import {
  type FieldSchema,
  hasStoredParts,
  isObject,
  isReference,
  type JobPort,
  type Json,
  type JsonObject,
  named,
  type Reference,
  settledWithin,
} from '@woof/net';

type Settle = (value: Json) => Json;
type Load = (reference: Reference) => unknown;

export function settledInput(
  input: JsonObject,
  fields: Record<string, FieldSchema>,
  { load, loadableBytes }: JobPort['host'],
): JsonObject {
  if (load === undefined) return input;
  const settle: Settle = (value) => settledWithin(value, loadableBytes, load);
  let changed: JsonObject | undefined;
  for (const [name, value] of Object.entries(input)) {
    if (typeof value !== 'object' || value === null) continue;
    const stored = Object.hasOwn(fields, name) ? fields[name]?.stored : undefined;
    const whole = named(`"${name}"`, () => settledField(value, stored, settle, load));
    if (whole === value) continue;
    changed ??= { ...input };
    changed[name] = whole;
  }
  return changed ?? input;
}

function settledField(value: Json, stored: FieldSchema['stored'], settle: Settle, load: Load): Json {
  switch (stored) {
    case 'kept':
      return value;
    case 'fields':
      return isReference(value) ? (load(value) as Json) : value;
    case 'streamed':
      return isJsonBytes(value) ? value : settle(value);
    case 'tables':
      return isObject(value) && !isReference(value) ? settledTables(value, settle) : settle(value);
    default:
      return settle(value);
  }
}

function settledTables(tables: JsonObject, settle: Settle): JsonObject {
  const parts = Object.entries(tables).map(
    ([name, table]) => [name, isRows(table) ? table : settle(table)] as const,
  );
  return Object.fromEntries(parts);
}

/** True: its bytes are its value as JSON, or a table that the tool can convert to JSON. */
function isJsonBytes(value: Json): boolean {
  if (!isReference(value) || hasStoredParts(value)) return false;
  const { type } = hintIn(value);
  return isArrow(value) || type === 'list' || type === 'object';
}

/** True: its bytes are rows. */
function isRows(value: Json): boolean {
  if (!isReference(value) || hasStoredParts(value)) return false;
  const { type, items, columns, length } = hintIn(value);
  return (
    isArrow(value) || (type === 'list' && length !== 0 && (items === 'objects' || Array.isArray(columns)))
  );
}

const hintIn = ({ schema_hint }: Reference): JsonObject => (isObject(schema_hint) ? schema_hint : {});
