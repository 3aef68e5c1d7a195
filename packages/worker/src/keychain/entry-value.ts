/** An entry as templates see it: its fields or, if no field is named, its only value. */
import { standInOf, standsFor } from '@woof/expr';
import type { JsonObject } from '@woof/net';

const NAMED = 10;

export function entryValue(name: string, fields: Record<string, string>): JsonObject {
  const { type: _, ...secrets } = fields;
  const [value, ...others] = new Set(Object.values(secrets));
  const names = Object.keys(fields).map((field) => `keychain.${name}.${field}`);
  const listed = names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ', …' : '');
  const noText = {
    why: `the keychain entry "${name}" has several fields, so it cannot be used as text`,
    hint: `name one of them: ${listed}`,
  };
  return standsFor({ ...fields }, value !== undefined && others.length === 0 ? { value } : { noText });
}

/** The only value of the entry, if it has exactly one. */
export function oneValueOf(entry: unknown): string | undefined {
  return standInOf(entry)?.value;
}
