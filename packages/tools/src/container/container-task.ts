/** From a task's fields to the program and container to start. */
import { realpath } from 'node:fs/promises';
import { type Json, type JsonObject, plainNumber } from '@woof/net';
import type { ContainerSpec } from '@woof/sandbox';
import { envField, FieldFault, fault, numberField, objectField, textField, wordField } from '../fields.ts';
import { effectivePolicy } from '../io-policy.ts';
import type { ToolCall, ToolContext } from '../tool.ts';

export interface ContainerTask {
  spec: ContainerSpec;
  timeoutSeconds: number | undefined;
}

/** The form that the sandbox accepts: never an option of the engine. */
const IMAGE = /^[A-Za-z0-9][A-Za-z0-9._/:@-]*$/;

export async function toTask(
  { input, spec, workdir }: ToolCall,
  context: ToolContext,
): Promise<ContainerTask> {
  const image = textField(input, 'image') ?? '';
  if (!IMAGE.test(image)) throw fault('image', 'the name of an image, such as python:3.12', image);
  const [program, ...first] = wordsField(input, 'command');
  const resources = objectField(input, 'resources') ?? {};
  const memoryMb = numberField(resources, 'memory_mb', 6) ?? numberField(spec, 'memory_mb', 6);
  const [cpus, pids] = [numberField(resources, 'cpus'), numberField(resources, 'pids', 1)];
  return {
    spec: {
      image,
      ...(program === undefined ? {} : { program }),
      args: [...first, ...wordsField(input, 'args')],
      env: checked({ ...envField(spec, 'env'), ...envField(input, 'env') }),
      policy: effectivePolicy(spec, context),
      workdir: await realpath(workdir),
      hidden: context.hidden ?? [],
      pull: (wordField(input, 'pull', ['missing', 'never']) ?? 'missing') === 'missing',
      ...(memoryMb === undefined ? {} : { memoryMb }),
      ...(cpus ? { cpus } : {}),
      ...(pids === undefined ? {} : { maxProcesses: pids }),
    },
    timeoutSeconds: numberField(input, 'timeout_seconds') ?? numberField(spec, 'timeout'),
  };
}

function wordsField(input: JsonObject, name: string): string[] {
  const value: Json = input[name] ?? [];
  const list = Array.isArray(value) ? value : [value];
  const words = list.map((each) => (plainNumber(each) === undefined ? each : String(each)));
  if (words.every((each): each is string => typeof each === 'string' && !each.includes('\0'))) return words;
  throw fault(name, 'text or a list of texts', value);
}

function checked(env: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_]\w*$/.test(name) || /[\r\n]/.test(value))
      throw new FieldFault(
        'each name in "env" must consist of letters, digits and "_", and each value must be a single line',
      );
  }
  return env;
}
