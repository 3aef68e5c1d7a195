/** From a task's fields to what is to run: pure except for the document's folder. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Json, JsonObject } from '@woof/net';
import { booleanField, FieldFault, fault, numberField, objectField, textField } from '../fields.ts';
import { effectivePolicy } from '../io-policy.ts';
import { readScript } from '../script/read-script.ts';
import { SQL_FIELDS, sqlParams, sqlText } from '../sql-text.ts';
import type { IoPolicy, ToolCall, ToolContext } from '../tool.ts';

export interface DuckdbTask {
  sql: string;
  params: Json[] | JsonObject;
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

export async function toTask(call: ToolCall, context: ToolContext): Promise<DuckdbTask> {
  const { input, spec, workdir } = call;
  const folder = await realpath(workdir);
  const sql = await sqlOf(call, context);
  return {
    sql,
    params: await paramsOf(call, sql),
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

async function sqlOf(call: ToolCall, context: ToolContext): Promise<string> {
  const script = await readScript(call, context, SQL_FIELDS);
  const text = script?.text ?? sqlText(call.input);
  if (text.trim() === '') throw new FieldFault('"command" contains no statement');
  return text;
}

/** Step args that the SQL names can be bound too. The task's own take precedence. */
async function paramsOf(call: ToolCall, sql: string): Promise<Json[] | JsonObject> {
  const own = sqlParams(call.input, '$name');
  if (Array.isArray(own)) return own;
  const isNamed = (name: string) => sql.includes(`$${name}`);
  const args = Object.entries((await call.stepArgs?.(isNamed)) ?? {});
  return { ...Object.fromEntries(args.filter(([name]) => isNamed(name))), ...own };
}

async function databaseOf(input: JsonObject, folder: string): Promise<string> {
  const wanted = textField(input, 'database');
  if (wanted === undefined || wanted === '' || wanted === ':memory:') return ':memory:';
  return pathUnder(folder, wanted, 'database');
}

/** The file may not exist yet, but its folder must. */
export async function pathUnder(folder: string, wanted: string, field: string): Promise<string> {
  const path = resolve(folder, wanted);
  const parent = await realpath(dirname(path)).catch(() => undefined);
  if (parent === undefined) throw fault(field, 'a file in a directory that exists', wanted);
  if (parent === folder || parent.startsWith(`${folder}/`)) return join(parent, basename(path));
  throw fault(field, 'a file under the document’s folder', wanted);
}
