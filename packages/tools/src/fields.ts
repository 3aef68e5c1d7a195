/**
 * Reads a task's rendered fields.
 *
 * An invalid field throws a `FieldFault`, which `settle` turns into an outcome of kind `schema`. Nothing else here
 * throws. Messages never quote the values of secret fields.
 */
import { isObject, type Json, type JsonObject, plainNumber } from '@woof/net';

export class FieldFault extends Error {}

/** Fields whose values may contain credentials. A message names only their type. */
const SECRET = /auth|header|token|password|secret|env|payload|body|json|form|data|args|input|params/i;

export function given(input: JsonObject, name: string): boolean {
  return isGiven(input[name]);
}

export function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

export function textField(input: JsonObject, name: string): string | undefined {
  return textOf(input[name], name);
}

export function textOf(value: Json | undefined, name: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw fault(name, 'text', value);
}

export function wordField(input: JsonObject, name: string, words: readonly string[]): string | undefined {
  const word = textField(input, name)?.toLowerCase();
  if (word === undefined || words.includes(word)) return word;
  throw fault(name, `one of ${words.join(', ')}`, word);
}

export function booleanField(input: JsonObject, name: string): boolean | undefined {
  return booleanOf(input[name], name);
}

export function booleanOf(value: Json | undefined, name: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw fault(name, 'true or false', value);
}

export function numberField(input: JsonObject, name: string, least = 0): number | undefined {
  return numberOf(input[name], name, least);
}

export function numberOf(value: Json | undefined, name: string, least = 0): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : plainNumber(value);
  if (number !== undefined && Number.isFinite(number) && number >= least) return number;
  throw fault(name, `a number of at least ${least}`, value);
}

export function objectField(input: JsonObject, name: string): JsonObject | undefined {
  return objectOf(input[name], name);
}

export function objectOf(value: Json | undefined, name: string): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (isObject(value)) return value;
  throw fault(name, 'a map', value);
}

/** A map of texts. Numbers and booleans become text, and null omits the key. */
export function textMapField(input: JsonObject, name: string): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [key, value] of Object.entries(objectField(input, name) ?? {})) {
    if (value === null) continue;
    if (Array.isArray(value) || isObject(value)) throw fault(`${name}.${key}`, 'text', value);
    texts[key] = String(value);
  }
  return texts;
}

/** Environment variables. */
export function envField(input: JsonObject, name: string): Record<string, string> {
  const env = textMapField(input, name);
  for (const [key, value] of Object.entries(env)) {
    if (!/^[^=\0]+$/.test(key) || value.includes('\0')) {
      throw new FieldFault(
        `"${name}" must have names without "=" and must not contain NUL bytes, got ${quoted(key)}`,
      );
    }
  }
  return env;
}

export function fault(name: string, wanted: string, got: Json | undefined): FieldFault {
  return new FieldFault(`"${name}" must be ${wanted}, got ${shown(name, got)}`);
}

function shown(name: string, value: Json | undefined): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isObject(value)) return 'a map';
  if (typeof value !== 'string') return String(value);
  return SECRET.test(name) ? 'text' : quoted(value);
}

/** Text for a message: short, on one line, without the userinfo of a URL. */
export function quoted(text: string): string {
  const bare = text.replace(/\/\/[^/\s]*@/g, '//');
  return JSON.stringify(bare.length > 60 ? `${bare.slice(0, 57)}...` : bare);
}
