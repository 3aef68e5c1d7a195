/** Converts `config` of an exec block to its complete form. */
import type { ExecCommand, ExecInput } from '@woof/net';
import { child, type MapNode, type Node } from '../yaml/tree.ts';
import { DEFAULTS } from './defaults.ts';
import { problems } from './diagnostics.ts';
import { takeExecutor } from './executor.ts';
import { COMMAND_KEYS, IO_KEYS } from './keys.ts';
import { optional } from './optional.ts';
import { leaves } from './paths.ts';
import type { Reading } from './reading.ts';

const YEAR_SEC = 365 * 24 * 3600;
const WORKDIR = 'the working directory';
export const ATTEMPTS = { least: 1, most: 100, whole: true };
export const TIMEOUT = { least: 0.001, most: YEAR_SEC };

export function compileBlock(reading: Reading, id: string, config: MapNode): ExecInput {
  const resumable = reading.takeFlag(config, 'resumable', DEFAULTS.resumable);
  const restart = reading.takeWord(child(config, 'restart'), 'restart', ['stage', 'command'] as const);
  return {
    workdir: takePath(reading, child(config, 'workdir'), 'workdir') ?? DEFAULTS.workdir,
    executor: takeExecutor(reading, child(config, 'executor')),
    commands: takeCommands(reading, id, config),
    halt_on_error: reading.takeFlag(config, 'halt_on_error', DEFAULTS.halt_on_error),
    allow_shell: reading.takeFlag(config, 'allow_shell', DEFAULTS.allow_shell),
    env: takeEnv(reading, child(config, 'env'), 'env'),
    ...optional({ max_attempts: reading.takeNumber(config, 'max_attempts', ATTEMPTS) }),
    ...takeSandbox(reading, config),
    outputs: takeOutputs(reading, child(config, 'outputs')),
    resumable,
    restart: restart ?? (resumable ? 'command' : 'stage'),
  };
}

function takeCommands(reading: Reading, id: string, config: MapNode): ExecCommand[] {
  const node = child(config, 'commands');
  const list = reading.takeList(node, 'commands');
  if (node === undefined) reading.report(problems.noCommands(reading.keySpan(config), id));
  else if (list?.items.length === 0) reading.report(problems.noCommands(reading.span(list), id));
  const commands = (list?.items ?? []).map((item) => takeCommand(reading, item));
  return commands.filter((command) => command !== undefined);
}

function takeCommand(reading: Reading, node: Node): ExecCommand | undefined {
  if (node.type !== 'map')
    return reading.refuseType(
      node,
      'a command',
      'a map',
      'write `{program: …, args: […]}`; no shell splits a command line',
    );
  reading.checkKeys(node, 'a command', COMMAND_KEYS);
  const cwd = child(node, 'cwd');
  return {
    program: takeProgram(reading, node) ?? '',
    args: reading.takeTexts(child(node, 'args'), 'args'),
    ...optional({ cwd: cwd && takeInner(reading, cwd, 'cwd', WORKDIR) }),
    env: takeEnv(reading, child(node, 'env'), 'env'),
    ...optional({
      timeout_sec: reading.takeNumber(node, 'timeout_sec', TIMEOUT),
      name: reading.takeWords(node, 'name'),
    }),
    allow_failure: reading.takeFlag(node, 'allow_failure', DEFAULTS.allow_failure),
  };
}

function takeProgram(reading: Reading, command: MapNode): string | undefined {
  const node = child(command, 'program');
  if (node === undefined)
    return reading.report(problems.missing(reading.keySpan(command), 'the command', 'program'));
  const program = takePath(reading, node, 'program');
  if (program !== undefined && /^\S+\s+\S/.test(program) && !/[/\\]|\{\{/.test(program))
    reading.report(problems.programWithBlanks(reading.span(node), program));
  return program;
}

function takePath(reading: Reading, node: Node | undefined, what: string): string | undefined {
  const text = node && reading.takeWritten(node, what);
  return text === undefined || text.trim() !== '' ? text : reading.refuseType(node!, what, 'text');
}

function takeInner(reading: Reading, node: Node, what: string, base: string): string | undefined {
  const path = takePath(reading, node, what);
  if (path !== undefined && leaves(path))
    reading.report(problems.escapingPath(reading.span(node), what, path, base));
  return path;
}

function takeOutputs(reading: Reading, node: Node | undefined): string[] {
  const globs = reading.takeList(node, 'outputs')?.items ?? [];
  const taken = globs.map((glob) => takeInner(reading, glob, 'an item of `outputs`', WORKDIR));
  return taken.filter((glob) => glob !== undefined);
}

function takeEnv(reading: Reading, node: Node | undefined, what: string): Record<string, string> {
  for (const { key, at } of node?.type === 'map' ? node.entries.values() : []) {
    if (key === '' || /[=\0\s]/.test(key)) reading.report(problems.badEnvName(reading.span(at), key));
  }
  return reading.takeTextMap(node, what);
}

function takeSandbox(reading: Reading, config: MapNode): Pick<ExecInput, 'sandbox' | 'io_policy'> {
  const sandbox = reading.takeFlag(config, 'sandbox', DEFAULTS.sandbox);
  const policy = reading.takeMap(child(config, 'io_policy'), 'io_policy');
  if (policy) reading.checkKeys(policy, 'io_policy', IO_KEYS);
  const [files, network, shell] = IO_KEYS.map(
    (key) => policy !== undefined && reading.takeFlag(policy, key, false),
  );
  if (!sandbox) {
    const entry = policy && config.entries.get('io_policy');
    if (entry) reading.report(problems.idleKey(reading.span(entry.at), 'io_policy', '`sandbox: true`'));
    return { sandbox };
  }
  return { sandbox, io_policy: { allow_files: files!, allow_network: network!, allow_shell: shell! } };
}
