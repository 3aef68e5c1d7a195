/** From a stage's config to a complete block: all defaults are here. */
import {
  type ExecCommand as CompiledCommand,
  type ExecInput,
  isObject,
  type Json,
  type JsonObject,
  type MatrixPlace,
  type PolicyFindings,
  plainNumber,
} from '@woof/net';
import {
  booleanField,
  envField,
  FieldFault,
  fault,
  numberField,
  objectField,
  textField,
  wordField,
} from '../fields.ts';

/** What the document compiled to, as a worker reads it. */
export interface ExecBlock
  extends Omit<ExecInput, 'commands' | 'executor' | 'io_policy' | 'matrix' | 'policy' | 'resumable'> {
  commands: ExecCommand[];
  executor: { kind: string } & JsonObject;
  io_policy: JsonObject;
  /** For a stage that a matrix made: its group, and the number of stages in it. */
  matrix?: Pick<MatrixPlace, 'group' | 'count'>;
  /** The findings at submission. */
  submitted: PolicyFindings;
}

export interface ExecCommand extends CompiledCommand {
  cwd: string;
}

export function toBlock(input: JsonObject): ExecBlock {
  const executor = objectField(input, 'executor') ?? {};
  const maxAttempts = numberField(input, 'max_attempts', 1);
  const resumable = booleanField(input, 'resumable') ?? false;
  const restart = wordField(input, 'restart', ['stage', 'command']) ?? (resumable ? 'command' : 'stage');
  return {
    workdir: textField(input, 'workdir') ?? '.',
    executor: { ...executor, kind: textField(executor, 'kind') ?? 'local' },
    commands: toCommands(input.commands),
    halt_on_error: booleanField(input, 'halt_on_error') ?? true,
    allow_shell: booleanField(input, 'allow_shell') ?? false,
    env: envField(input, 'env'),
    sandbox: booleanField(input, 'sandbox') ?? false,
    io_policy: objectField(input, 'io_policy') ?? {},
    outputs: toTexts(input.outputs ?? [], 'outputs'),
    restart: restart as ExecBlock['restart'],
    submitted: toFindings(objectField(input, 'policy') ?? {}),
    ...toMatrix(objectField(input, 'matrix')),
    ...(maxAttempts === undefined ? {} : { max_attempts: maxAttempts }),
  };
}

function toFindings({ warnings = [], violations = [] }: JsonObject): ExecBlock['submitted'] {
  return {
    warnings: toTexts(warnings, 'policy.warnings'),
    violations: toTexts(violations, 'policy.violations'),
  };
}

function toMatrix(given: JsonObject | undefined): Pick<ExecBlock, 'matrix'> {
  const group = given && textField(given, 'group');
  return group ? { matrix: { group, count: numberField(given, 'count') ?? 1 } } : {};
}

function toCommands(given: Json | undefined): ExecCommand[] {
  if (!Array.isArray(given) || given.length === 0) throw fault('commands', 'a list of commands', given);
  return given.map((entry, index) => {
    if (!isObject(entry)) throw fault(`commands[${index}]`, 'a command', entry);
    try {
      return toCommand(entry);
    } catch (error) {
      if (error instanceof FieldFault) throw new FieldFault(`commands[${index}]: ${error.message}`);
      throw error;
    }
  });
}

function toCommand(entry: JsonObject): ExecCommand {
  const program = textField(entry, 'program');
  if (!program) throw fault('program', 'the name or path of a program', entry.program);
  const args = toTexts(entry.args ?? [], 'args');
  if ([program, ...args].some((text) => text.includes('\0')))
    throw new FieldFault('"program" and "args" must not contain NUL bytes');
  const timeout = numberField(entry, 'timeout_sec');
  const name = textField(entry, 'name');
  return {
    program,
    args,
    cwd: textField(entry, 'cwd') ?? '.',
    env: envField(entry, 'env'),
    allow_failure: booleanField(entry, 'allow_failure') ?? false,
    ...(timeout ? { timeout_sec: timeout } : {}),
    ...(name === undefined ? {} : { name }),
  };
}

/** Numbers and booleans become text, because YAML reads the 3 in `-n 3` as a number. */
function toTexts(given: Json, name: string): string[] {
  if (!Array.isArray(given)) throw fault(name, 'a list of texts', given);
  return given.map((entry, index) => {
    if (typeof entry === 'string') return entry;
    if (plainNumber(entry) !== undefined || typeof entry === 'boolean') return String(entry);
    throw fault(`${name}[${index}]`, 'text', entry);
  });
}
