/**
 * The text that a task runs, where `script: {uri, source}` names a place for it.
 *
 * Owns: which place is meant, and that a file lies in the document's folder, whatever links there are. Does not own: how a
 * remote place is asked (remote-script.ts), what the text means (the kind).
 */
import { readFile, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isObject, type Json, type JsonObject } from '@woof/net';
import { FieldFault, fault, isGiven, objectOf, wordField } from '../fields.ts';
import type { ToolCall, ToolContext } from '../tool.ts';

export interface Script {
  /** Shown in tracebacks. */
  name: string;
  text: string;
}

export interface ScriptPlace {
  uri: string;
  source: (typeof SOURCES)[number];
  /** What else the source says: headers, a region, credentials. */
  fields: JsonObject;
}

const SOURCES = ['file', 'http', 's3'] as const;

export const MAX_SCRIPT_BYTES = 16 * 1024 * 1024;

/** Nothing where the task has no script. `fields`: those of the task that it stands in place of. */
export async function readScript(
  call: ToolCall,
  context: ToolContext,
  fields: readonly string[],
): Promise<Script | undefined> {
  const { script } = call.input;
  if (!isGiven(script)) return undefined;
  const other = fields.find((name) => isGiven(call.input[name]));
  if (other) throw new FieldFault(`"${other}" and "script" exclude each other: keep one`);
  const place = placeOf(script as Json);
  if (place.source === 'file') return readFileOf(place.uri, call.workdir, context.hidden ?? []);
  const { fetchScript } = await import('./remote-script.ts');
  const bytes = await fetchScript(place, call, context);
  return { name: place.uri, text: decoded(bytes, place.uri) };
}

function placeOf(script: Json): ScriptPlace {
  const { uri, source } = typeof script === 'string' ? { uri: script } : (objectOf(script, 'script') ?? {});
  if (typeof uri !== 'string' || uri === '') throw fault('script.uri', 'a file, or an address', uri);
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
  return `"script.uri" must look like ${SHAPES[source]} where "script.source" is ${source}, got ${JSON.stringify(uri.slice(0, 60))}`;
}

async function readFileOf(uri: string, workdir: string, hidden: readonly string[]): Promise<Script> {
  const name = uri.replace(/^file:(\/\/)?/, '');
  const folder = await realpath(workdir);
  const path = await realpath(resolve(folder, name)).catch(() => undefined);
  if (path === undefined) throw fault('script.uri', 'a file under the document’s folder', uri);
  const isHidden = [`${folder}/.woof`, ...hidden].some((each) => isWithin(path, each));
  if (!isWithin(path, folder) || isHidden) throw fault('script.uri', 'under the document’s folder', uri);
  const bytes = await readFile(path).catch(() => {
    throw fault('script.uri', 'a file that can be read', uri);
  });
  return { name, text: decoded(bytes, uri) };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function decoded(bytes: Uint8Array, uri: string): string {
  if (bytes.length > MAX_SCRIPT_BYTES)
    throw new FieldFault(`"script.uri": ${uri} has more than ${MAX_SCRIPT_BYTES} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw fault('script.uri', 'a text in UTF-8', uri);
  }
}
