/** From a task's fields to what the driver gets: pure except for reading the script. */
import { realpathSync } from 'node:fs';
import type { JsonObject } from '@woof/net';
import { envOf, limitsOf, receivedBy } from '../code-task.ts';
import { FieldFault, textField } from '../fields.ts';
import { baseEnv, effectivePolicy } from '../io-policy.ts';
import { readScript } from '../script/read-script.ts';
import type { IoPolicy, ToolCall, ToolContext } from '../tool.ts';
import { type Library, toLibraries } from './python-libraries.ts';

export interface PythonTask {
  /** Shown in tracebacks. */
  name: string;
  code: string;
  args: JsonObject;
  /** Only for code that mentions it. */
  context?: JsonObject;
  libs: Library[];
  env: Record<string, string>;
  policy: IoPolicy;
  /** Resolved. */
  workdir: string;
  hidden: string[];
  memoryMb?: number;
  timeoutSeconds?: number;
}

export async function toTask(call: ToolCall, context: ToolContext): Promise<PythonTask> {
  const { input, spec, workdir } = call;
  const policy = effectivePolicy(spec, context);
  const limits = limitsOf(call);
  // Synchronous, because a round trip through the thread pool costs a tenth of a small task.
  const folder = realpathSync(workdir);
  const { name, code } = await source(call, context);
  const received = await receivedBy(code, call, mayRead);
  return {
    name,
    code,
    ...received,
    libs: toLibraries(input.libs),
    env: { ...baseEnv(policy), ...envOf(call) },
    policy,
    workdir: folder,
    hidden: context.hidden ?? [],
    ...limits,
  };
}

/** If the code takes all arguments at once, it may read any of them. */
function mayRead(code: string, argument: string): boolean {
  return (
    code.includes(argument) ||
    /\b(args|input_data|context)\b|\*\*|\b(globals|locals|vars|eval|exec)\s*\(/.test(code)
  );
}

async function source(call: ToolCall, context: ToolContext): Promise<{ name: string; code: string }> {
  const script = await readScript(call, context, ['code']);
  if (script) return { name: script.name, code: script.text };
  const code = textField(call.input, 'code');
  if (code !== undefined) return { name: '<code>', code };
  throw new FieldFault('"code" is missing: write Python code, or script: {uri: file.py}');
}
