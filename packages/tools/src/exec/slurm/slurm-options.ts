/** From a block's `executor` to the arguments of sbatch. */
import { isOurSbatchOption, type Json, type JsonObject, plainNumber } from '@woof/net';
import { FieldFault, fault, numberField, quoted, textField } from '../../fields.ts';

export interface SlurmOptions {
  args: string[];
  pollMs: number;
}

const POLL_MS = 2000;
const SHORTEST_POLL_MS = 50;

/** Short options whose value may be the next word. */
const TAKES_VALUE = /^-[AbBcCdFGiLmnNOpqrStTwx]$/;

export function toSlurmOptions(executor: JsonObject): SlurmOptions {
  const text = (name: string, flag: string) => option(flag, textField(executor, name));
  const number = (name: string, flag: string) => option(flag, wholeNumber(executor, name));
  return {
    args: [
      ...text('partition', 'partition'),
      ...option('time', timeLimit(executor)),
      ...number('cpus_per_task', 'cpus-per-task'),
      ...number('mem_mb', 'mem'),
      ...text('account', 'account'),
      ...text('qos', 'qos'),
      ...extraArgs(executor.extra_args ?? []),
    ],
    pollMs: numberField(executor, 'poll_ms', SHORTEST_POLL_MS) ?? POLL_MS,
  };
}

function option(flag: string, value: string | number | undefined): string[] {
  if (value === undefined) return [];
  if (String(value).trim() === '' || String(value).includes('\0')) throw fault(flag, 'a word', String(value));
  return [`--${flag}=${value}`];
}

function wholeNumber(executor: JsonObject, name: string): number | undefined {
  const number = numberField(executor, name, 1);
  if (number === undefined || Number.isInteger(number)) return number;
  throw fault(name, 'a whole number', number);
}

/** Minutes, or a text such as `2:00:00`; YAML may read either as a number. */
function timeLimit(executor: JsonObject): string | number | undefined {
  const given = executor.time_limit;
  return plainNumber(given) === undefined
    ? textField(executor, 'time_limit')
    : numberField(executor, 'time_limit', 1);
}

function extraArgs(given: Json): string[] {
  if (!Array.isArray(given)) throw fault('extra_args', 'a list of texts', given);
  const args = given.map(String);
  args.forEach((arg, index) => {
    if (isOurSbatchOption(arg))
      throw new FieldFault(`"extra_args" must not contain ${quoted(arg)}: Woof sets that option itself`);
    // sbatch would take a bare word for the script.
    const bare = !arg.startsWith('-') && !TAKES_VALUE.test(args[index - 1] ?? '');
    if (bare || arg === '--' || arg.includes('\0'))
      throw new FieldFault(`"extra_args" must contain options such as --nodes=2, got ${quoted(arg)}`);
  });
  return args;
}
