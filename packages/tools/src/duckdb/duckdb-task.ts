/** From a task's fields to what is to run: pure but for the folder of the document. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isObject, type Json, type JsonObject } from '@woof/net';
import { booleanField, FieldFault, fault, numberField, objectField, textField } from '../fields.ts';
import { effectivePolicy } from '../io-policy.ts';
import type { IoPolicy, ToolCall, ToolContext } from '../tool.ts';

export interface DuckdbTask {
  sql: string;
  params: Json[] | JsonObject | null;
  tables: JsonObject;
  /** A path, or `:memory:`. */
  database: string;
  readOnly: boolean;
  policy: IoPolicy;
  workdir: string;
  memoryMb: number;
  seconds: number | undefined;
  maxBytes: number;
}

const GIB = 1024 ** 3;
const DEFAULT_MEMORY_MB = 1024;

export async function toTask({ input, spec, workdir }: ToolCall, context: ToolContext): Promise<DuckdbTask> {
  const folder = await realpath(workdir);
  return {
    sql: sqlOf(input),
    params: paramsOf(input),
    tables: objectField(input, 'tables') ?? {},
    database: await databaseOf(input, folder),
    readOnly: booleanField(input, 'read_only') ?? false,
    policy: effectivePolicy(spec, context),
    workdir: folder,
    memoryMb: numberField(spec, 'memory_mb', 16) ?? DEFAULT_MEMORY_MB,
    seconds: numberField(input, 'timeout') ?? numberField(spec, 'timeout'),
    maxBytes: numberField(input, 'max_bytes', 1) ?? GIB,
  };
}

function sqlOf(input: JsonObject): string {
  const name = ['command', 'commands', 'query'].find((each) => (input[each] ?? null) !== null);
  if (name === undefined) throw new FieldFault('"command" is missing: give the SQL to run');
  const value = input[name];
  const texts = Array.isArray(value) ? value : [value];
  if (!texts.every((text) => typeof text === 'string')) {
    throw fault(name, 'SQL as text, or a list of texts', value);
  }
  const text = texts.join(';\n');
  if (text.trim() === '') throw new FieldFault(`"${name}" holds no statement`);
  if (text.includes('\0')) throw new FieldFault(`"${name}" must not hold a zero byte`);
  return text;
}

function paramsOf({ params }: JsonObject): Json[] | JsonObject | null {
  if (params === undefined || params === null) return null;
  if (Array.isArray(params) || isObject(params)) return params;
  throw fault('params', 'a list for $1, $2, or a map for $name', params);
}

async function databaseOf(input: JsonObject, folder: string): Promise<string> {
  const wanted = textField(input, 'database');
  if (wanted === undefined || wanted === '' || wanted === ':memory:') return ':memory:';
  return pathUnder(folder, wanted, 'database');
}

/** It may not exist yet; its folder must. */
export async function pathUnder(folder: string, wanted: string, field: string): Promise<string> {
  const path = resolve(folder, wanted);
  const parent = await realpath(dirname(path)).catch(() => undefined);
  if (parent === undefined) throw fault(field, 'a file in a folder that exists', wanted);
  if (parent === folder || parent.startsWith(`${folder}/`)) return join(parent, basename(path));
  throw fault(field, 'a file under the document’s folder', wanted);
}
