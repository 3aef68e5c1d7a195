/** From a task's fields to one script and the folder in which it runs. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Json, JsonObject } from '@woof/net';
import { argsEnv } from '../args-env.ts';
import { envOf, limitsOf } from '../code-task.ts';
import { FieldFault, fault, textField } from '../fields.ts';
import { baseEnv, effectivePolicy } from '../io-policy.ts';
import { readScript } from '../script/read-script.ts';
import type { IoPolicy, ToolCall, ToolContext } from '../tool.ts';

export interface ShellTask {
  script: string;
  env: Record<string, string>;
  policy: IoPolicy;
  /** Both resolved. */
  workdir: string;
  cwd: string;
  memoryMb?: number;
  timeoutSeconds?: number;
}

/** The kernel's limit for one argument or variable, minus a margin. */
const MAX_SCRIPT_BYTES = 120_000;

export async function toTask(call: ToolCall, context: ToolContext): Promise<ShellTask> {
  const { input, spec, workdir } = call;
  const policy = effectivePolicy(spec, context);
  const folder = await realpath(workdir);
  const limits = limitsOf(call);
  const found = await readScript(call, context, ['cmds', 'command']);
  const script = found ? checked(found.text, 'script.uri') : toScript(input);
  return {
    script,
    env: {
      ...argsEnv((await call.stepArgs?.((name) => script.includes(name))) ?? {}, script),
      HOME: '/tmp',
      TMPDIR: '/tmp',
      ...baseEnv(policy),
      ...envOf(call),
    },
    policy,
    workdir: folder,
    cwd: await folderUnder(folder, input),
    ...limits,
  };
}

function toScript(input: JsonObject): string {
  const given: Json = input.cmds ?? input.command ?? null;
  const script = Array.isArray(given) ? ['set -e', ...given.map(commandAt)].join('\n') : given;
  if (typeof script !== 'string' || script.trim() === '' || (Array.isArray(given) && given.length === 0)) {
    throw fault(input.cmds === undefined ? 'command' : 'cmds', 'a command or a list of commands', given);
  }
  return checked(script, 'cmds');
}

function checked(script: string, field: string): string {
  if (script.includes('\0')) throw new FieldFault(`"${field}" must not contain NUL bytes`);
  const size = Buffer.byteLength(script);
  if (size <= MAX_SCRIPT_BYTES) return script;
  throw new FieldFault(
    `"${field}" must be at most ${MAX_SCRIPT_BYTES} bytes, got ${size}: put the commands into a file and run that file`,
  );
}

function commandAt(command: Json, index: number): string {
  if (typeof command === 'string') return command;
  throw fault(`cmds[${index}]`, 'a command', command);
}

async function folderUnder(workdir: string, input: JsonObject): Promise<string> {
  const wanted = textField(input, 'cwd');
  if (!wanted) return workdir;
  const folder = await realpath(resolve(workdir, wanted)).catch(() => undefined);
  if (folder === undefined) throw fault('cwd', 'a directory that exists', wanted);
  if (folder === workdir || folder.startsWith(`${workdir}/`)) return folder;
  throw fault('cwd', 'under the document’s folder', wanted);
}
