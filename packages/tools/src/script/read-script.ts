/**
 * The text that a task runs, if `script: {uri, source}` says where to find it.
 *
 * Owns: that a file is inside the document's folder, whatever links there are. Does not own: which place is meant
 * (script-place.ts), how a remote one is fetched (remote-script.ts), the meaning of the text (the kind).
 */
import { readFile, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Json } from '@woof/net';
import { FieldFault, fault, isGiven } from '../fields.ts';
import type { ToolCall, ToolContext } from '../tool.ts';
import { MAX_SCRIPT_BYTES, placeOf } from './script-place.ts';

export interface Script {
  /** Shown in tracebacks. */
  name: string;
  text: string;
}

/** Undefined if the task has no script. `fields`: the fields of the task that it replaces. */
export async function readScript(
  call: ToolCall,
  context: ToolContext,
  fields: readonly string[],
): Promise<Script | undefined> {
  const { script } = call.input;
  if (!isGiven(script)) return undefined;
  const other = fields.find((name) => isGiven(call.input[name]));
  if (other) throw new FieldFault(`"${other}" and "script" cannot be used together: keep one`);
  const place = placeOf(script as Json);
  if (place.source === 'file') return readFileOf(place.uri, call.workdir, context.hidden ?? []);
  const { fetchScript } = await import('./remote-script.ts');
  const bytes = await fetchScript(place, call, context);
  return { name: place.uri, text: decoded(bytes, place.uri) };
}

async function readFileOf(uri: string, workdir: string, hidden: readonly string[]): Promise<Script> {
  const name = uri.replace(/^file:(\/\/)?/, '');
  const folder = await realpath(workdir);
  const path = await realpath(resolve(folder, name)).catch(() => undefined);
  if (path === undefined)
    throw new FieldFault(`"script.uri": there is no file "${name}" in ${folder}, the document’s folder`);
  const isHidden = [`${folder}/.woof`, ...hidden].some((each) => isWithin(path, each));
  if (!isWithin(path, folder) || isHidden) throw fault('script.uri', 'under the document’s folder', uri);
  const bytes = await readFile(path).catch(() => {
    throw fault('script.uri', 'a file that Woof can read', uri);
  });
  return { name, text: decoded(bytes, uri) };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function decoded(bytes: Uint8Array, uri: string): string {
  if (bytes.length > MAX_SCRIPT_BYTES)
    throw new FieldFault(`"script.uri": ${uri} is larger than ${MAX_SCRIPT_BYTES} bytes`);
  if (bytes.includes(0)) throw fault('script.uri', 'a text file without NUL bytes', uri);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw fault('script.uri', 'a text file in UTF-8', uri);
  }
}
