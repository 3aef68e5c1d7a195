/** The place that `script: {uri, source}` refers to. */
import { isObject, type Json, type JsonObject } from '@woof/net';
import { FieldFault, fault, isGiven, objectOf, quoted, wordField } from '../fields.ts';

export interface ScriptPlace {
  uri: string;
  source: (typeof SOURCES)[number];
  /** Further settings of the source: headers, a region, credentials. */
  fields: JsonObject;
}

const SOURCES = ['file', 'http', 's3'] as const;

/** The other fields of `source`, as the tools of the same kind have them. */
const FIELDS: Record<ScriptPlace['source'], readonly string[]> = {
  file: [],
  http: ['method', 'headers', 'params', 'auth', 'timeout', 'follow_redirects', 'verify_ssl'],
  s3: ['endpoint', 'region', 'auth', 'timeout', 'verify_ssl'],
};

export const MAX_SCRIPT_BYTES = 16 * 1024 * 1024;

export function placeOf(script: Json): ScriptPlace {
  const given = typeof script === 'string' ? { uri: script } : (objectOf(script, 'script') ?? {});
  refuseOthers(given, 'script', ['uri', 'source']);
  const { uri, source } = given;
  if (typeof uri !== 'string' || uri === '') throw fault('script.uri', 'a file or an address', uri);
  const about: JsonObject = isObject(source) ? source : { type: source ?? null };
  const { type, kind = type, ...fields } = about;
  const word = wordField({ 'script.source': kind ?? null }, 'script.source', [...SOURCES, 'https']);
  const implied = /^https?:/i.test(uri) ? 'http' : /^s3:/i.test(uri) ? 's3' : 'file';
  const meant = word === 'https' ? 'http' : ((word ?? implied) as ScriptPlace['source']);
  if (meant !== implied) throw new FieldFault(misplaced(meant, uri));
  refuseOthers(fields, 'script.source', FIELDS[meant], ` of type ${meant}`);
  return { uri, source: meant, fields };
}

/** A misspelt field would have no effect. */
function refuseOthers(map: JsonObject, name: string, known: readonly string[], what = ''): void {
  const other = Object.keys(map).find((key) => !known.includes(key) && isGiven(map[key]));
  if (other === undefined) return;
  const fields = known.length > 0 ? `its fields are ${known.join(', ')}` : 'it has no other fields';
  throw new FieldFault(`"${name}"${what} has no field "${other}": ${fields}`);
}

const SHAPES = { file: 'scripts/load.py', http: 'https://host/load.py', s3: 's3://bucket/load.py' };

function misplaced(source: ScriptPlace['source'], uri: string): string {
  return `"script.uri" must look like ${SHAPES[source]} if "script.source" is ${source}, got ${quoted(uri)}`;
}
