/** Values as text that a page can show: long ones are cut, and stored ones are named. */
import { encodeJson, isReference, type Json, type JsonObject, listParts, type Reference } from '@woof/net';
import type { ValueText } from './run-source.ts';

/** The text of a stored value, if it is here. */
export type Lookup = (reference: Reference) => string | undefined;

const LONGEST = 100_000;
const MOST_STORED = 50;
const MOST_PARTS = 100_000;

export function valueText(value: Json, lookup?: Lookup): ValueText {
  const here = isReference(value) ? storedText(value, lookup) : undefined;
  const text = here ?? (typeof value === 'string' ? value : (encodeJson(value, 2) ?? ''));
  const stored = here === undefined ? storedIn(value) : [];
  if (here === undefined && isStoredText(value)) return { text: '', cut: 0, stored, isStored: true };
  return { text: text.slice(0, LONGEST), cut: Math.max(0, text.length - LONGEST), stored };
}

function storedText(reference: Reference, lookup: Lookup = () => undefined): string | undefined {
  const parts = listParts(reference);
  if (parts === undefined) return lookup(reference);
  const texts = parts.map((part) => (isReference(part) ? lookup(part) : encodeJson(part)));
  if (texts.includes(undefined)) return undefined;
  const items = texts.map((text) => text!.trim().slice(1, -1)).filter((text) => text !== '');
  return `[${items.join(',')}]`;
}

/** A single text, and not a table in another format. */
function isStoredText(value: Json): boolean {
  if (!isReference(value) || listParts(value) !== undefined) return false;
  const { type, content_type } = (value.schema_hint ?? {}) as JsonObject;
  return content_type === undefined && /^(list|object|string)$/.test(String(type));
}

/** If a value has very many parts, only the first ones are searched. */
function storedIn(value: Json): ValueText['stored'] {
  const found: ValueText['stored'] = [];
  const left: Json[] = [value];
  for (let i = 0; i < left.length && i < MOST_PARTS && found.length < MOST_STORED; i++) {
    const part = left[i]!;
    if (part === null || typeof part !== 'object') continue;
    const parts = isReference(part) ? listParts(part) : undefined;
    if (parts === undefined && isReference(part)) found.push({ key: part.checksum, size: part.size });
    else for (const inner of Object.values(parts ?? part)) left.push(inner as Json);
  }
  return found;
}
