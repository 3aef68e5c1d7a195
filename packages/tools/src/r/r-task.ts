/** From a task's fields to what R gets. */
import { realpath } from 'node:fs/promises';
import type { JsonObject } from '@woof/net';
import { envOf, limitsOf, receivedBy } from '../code-task.ts';
import { FieldFault, textField } from '../fields.ts';
import { effectivePolicy } from '../io-policy.ts';
import { readScript } from '../script/read-script.ts';
import type { IoPolicy, ToolCall, ToolContext } from '../tool.ts';

export interface RTask {
  /** Shown in tracebacks, as `<name>`. */
  name: string;
  code: string;
  args: JsonObject;
  /** Only for code that mentions it. */
  context?: JsonObject;
  env: Record<string, string>;
  policy: IoPolicy;
  /** Resolved. */
  workdir: string;
  memoryMb?: number;
  timeoutSeconds?: number;
}

export async function toTask(call: ToolCall, context: ToolContext): Promise<RTask> {
  const policy = effectivePolicy(call.spec, context);
  const [limits, env] = [limitsOf(call), envOf(call)];
  const { name, code } = withUnixLines(await source(call, context));
  const received = await receivedBy(code, call, mayRead);
  return { name, code, ...received, env, policy, workdir: await realpath(call.workdir), ...limits };
}

/** If the code takes all arguments at once, or by computed names, it may read any of them. */
function mayRead(code: string, argument: string): boolean {
  return (
    code.includes(argument) ||
    /\b(args|input_data|context)\b|\.\.\.|\b(m?get0?|eval|ls|exists)\s*\(/.test(code)
  );
}

interface Source {
  name: string;
  code: string;
}

/** R does not accept carriage returns. */
function withUnixLines({ name, code }: Source): Source {
  return { name, code: code.replaceAll('\r\n', '\n') };
}

async function source(call: ToolCall, context: ToolContext): Promise<Source> {
  const script = await readScript(call, context, ['code']);
  if (script) return { name: script.name, code: script.text };
  const code = textField(call.input, 'code');
  if (code === undefined) throw new FieldFault('"code" is missing: write R code, or script: {uri: file.R}');
  if (code.includes('\0')) throw new FieldFault('"code" must not contain NUL bytes');
  return { name: 'code', code };
}
