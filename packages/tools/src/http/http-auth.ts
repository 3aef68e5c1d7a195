import { isObject, type Json, type JsonObject } from '@woof/net';
import { FieldFault, textField, wordField } from '../fields.ts';

const TYPES = ['bearer', 'basic', 'api_key'] as const;

/** `{type: bearer, token}`, `{bearer: token}` and similar forms, as headers with lower-case names. */
export function authHeaders(auth: Json | undefined): Record<string, string> {
  if (auth === undefined || auth === null) return {};
  if (!isObject(auth)) {
    throw new FieldFault(
      '"auth" must be the name of a keychain entry, or a map such as {type: bearer, token: …}, got something else',
    );
  }
  const fields = unfold(auth);
  const type = wordField(fields, 'type', TYPES) ?? guess(fields);
  if (type === 'basic') {
    const pair = `${need(fields, 'username', 'user')}:${need(fields, 'password')}`;
    return { authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` };
  }
  if (type === 'api_key') {
    return { [(textField(fields, 'header') ?? 'x-api-key').toLowerCase()]: need(fields, 'value', 'key') };
  }
  return { authorization: `Bearer ${need(fields, 'token', 'access_token', 'value')}` };
}

/** `{bearer: x}` → `{type: bearer, token: x}`, `{basic: {…}}` → `{type: basic, …}`. */
function unfold(auth: JsonObject): JsonObject {
  if (typeof auth.bearer === 'string') return { type: 'bearer', token: auth.bearer };
  for (const type of TYPES) {
    const inner = auth[type];
    if (isObject(inner)) return { ...inner, type };
  }
  return auth;
}

function guess(fields: JsonObject): string {
  return fields.username !== undefined || fields.user !== undefined ? 'basic' : 'bearer';
}

function need(fields: JsonObject, ...names: string[]): string {
  for (const name of names) {
    const text = textField(fields, name);
    if (text !== undefined) return text;
  }
  throw new FieldFault(`"auth.${names[0]}" is missing`);
}
