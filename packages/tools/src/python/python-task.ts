/** From a task's fields to what the driver gets: pure but for reading the script. */
import { realpathSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Json, JsonObject } from '@woof/net';
import { envField, FieldFault, fault, given, numberField, objectField, textField } from '../fields.ts';
import { baseEnv, effectivePolicy } from '../io-policy.ts';
import type { IoPolicy, ToolCall, ToolContext } from '../tool.ts';

export interface PythonTask {
  /** Shown in tracebacks. */
  name: string;
  code: string;
  args: JsonObject;
  libs: Json;
  env: Record<string, string>;
  policy: IoPolicy;
  /** Resolved. */
  workdir: string;
  hidden: string[];
  memoryMb?: number;
  timeoutSeconds?: number;
}

export async function toTask({ input, spec, workdir }: ToolCall, context: ToolContext): Promise<PythonTask> {
  const policy = effectivePolicy(spec, context);
  const memoryMb = numberField(spec, 'memory_mb', 16);
  const timeoutSeconds = numberField(input, 'timeout_seconds') ?? numberField(spec, 'timeout');
  // Without waiting: a turn through the thread pool costs a tenth of a small task.
  const folder = realpathSync(workdir);
  return {
    ...(await source(input, folder)),
    args: { ...objectField(input, 'input'), ...objectField(input, 'args') },
    libs: libraries(input.libs),
    env: { ...baseEnv(policy), ...envField(spec, 'env'), ...envField(input, 'env') },
    policy,
    workdir: folder,
    hidden: context.hidden ?? [],
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(timeoutSeconds ? { timeoutSeconds } : {}),
  };
}

async function source(input: JsonObject, folder: string): Promise<{ name: string; code: string }> {
  const code = textField(input, 'code');
  if (code !== undefined && given(input, 'script')) {
    throw new FieldFault('"code" and "script" exclude each other: keep one');
  }
  if (code !== undefined) return { name: '<code>', code };
  const script = input.script;
  const uri = typeof script === 'string' ? script : textField(objectField(input, 'script') ?? {}, 'uri');
  if (!uri) throw new FieldFault('"code" is missing: give Python code, or script {uri: file.py}');
  return readScript(uri, folder);
}

async function readScript(uri: string, folder: string): Promise<{ name: string; code: string }> {
  const name = uri.replace(/^file:(\/\/)?/, '');
  const path = await realpath(resolve(folder, name)).catch(() => undefined);
  if (path === undefined) throw fault('script.uri', 'a file under the document’s folder', uri);
  if (!path.startsWith(`${folder}/`)) throw fault('script.uri', 'under the document’s folder', uri);
  return { name, code: await readFile(path, 'utf8') };
}

function libraries(libs: Json | undefined): Json {
  const names = libs ?? {};
  const modules = Array.isArray(names) ? names : typeof names === 'object' ? Object.values(names) : [names];
  if (typeof names === 'object' && modules.every((module) => typeof module === 'string' && module !== '')) {
    return names;
  }
  throw fault('libs', 'a map of names to modules, e.g. {np: numpy}', libs);
}
