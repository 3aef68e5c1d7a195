/**
 * A value with stored values in place of their references, at any depth: the decoded JSON, or the text if it is not
 * JSON.
 */
import { isObject, isReference, type Json, listParts, type Reference } from '@woof/net';
import { storedValue } from './values.ts';

export async function loaded(value: Json, textOf: (reference: Reference) => Promise<string>): Promise<Json> {
  const parts = isReference(value) ? listParts(value) : undefined;
  if (parts) return ((await loaded(parts, textOf)) as Json[][]).flat();
  if (isReference(value)) return loaded(storedValue(value, await textOf(value)), textOf);
  if (Array.isArray(value)) return Promise.all(value.map((item) => loaded(item, textOf)));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(
    async ([key, item]) => [key, await loaded(item, textOf)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}
