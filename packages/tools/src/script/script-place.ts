/** The place that `script: {uri, source}` refers to. */
import { isObject, type Json, type JsonObject } from '@woof/net';
import { FieldFault, fault, objectOf, quoted, wordField } from '../fields.ts';

export interface ScriptPlace {
  uri: string;
  source: (typeof SOURCES)[number];
  /** Further settings of the source: headers, a region, credentials. */
  fields: JsonObject;
}

const SOURCES = ['file', 'http', 's3'] as const;

export const MAX_SCRIPT_BYTES = 16 * 1024 * 1024;

export function placeOf(script: Json): ScriptPlace {
  const { uri, source } = typeof script === 'string' ? { uri: script } : (objectOf(script, 'script') ?? {});
  if (typeof uri !== 'string' || uri === '') throw fault('script.uri', 'a file or an address', uri);
  const about: JsonObject = isObject(source) ? source : { type: source ?? null };
  const { type, kind = type, ...fields } = about;
  const word = wordField({ 'script.source': kind ?? null }, 'script.source', [...SOURCES, 'https']);
  const implied = /^https?:/i.test(uri) ? 'http' : /^s3:/i.test(uri) ? 's3' : 'file';
  const meant = word === 'https' ? 'http' : ((word ?? implied) as ScriptPlace['source']);
  if (meant !== implied) throw new FieldFault(misplaced(meant, uri));
  return { uri, source: meant, fields };
}

const SHAPES = { file: 'scripts/load.py', http: 'https://host/load.py', s3: 's3://bucket/load.py' };

function misplaced(source: ScriptPlace['source'], uri: string): string {
  return `"script.uri" must look like ${SHAPES[source]} if "script.source" is ${source}, got ${quoted(uri)}`;
}
