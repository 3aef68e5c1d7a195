/**
 * The script of a Slurm job: runs the commands of a block and leaves files that say how each ended.
 *
 * In the job's area: `begun` (a folder: the process that creates it may run, because Slurm may start a job a second
 * time), `stop` (nobody wants the block any more), `NNN.stdout` and `NNN.stderr` of each command, and `marks`: one line
 * per event, `job ID`, `began NNN MS`, `fault NNN WHY` (it could not start), `ended NNN STATUS MS`, `done MS`. A line
 * counts once it is complete. Bash writes them itself, because starting programs is most of the cost of a small job.
 */

import PRELUDE from './batch-prelude.sh?raw';
import { quote } from './quote.ts';

export interface BatchCommand {
  index: number;
  program: string;
  args: string[];
  /** Relative to the working directory. */
  cwd: string;
  env: Record<string, string>;
  timeoutSeconds?: number;
  allowFailure: boolean;
}

export interface BatchBlock {
  /** For people who read the script. */
  title: string;
  area: string;
  workdir: string;
  haltOnError: boolean;
  commands: BatchCommand[];
}

/** Seconds between SIGTERM and SIGKILL. */
const KILL_AFTER_SECONDS = 5;

/** `env` sets the names that bash reserves or cannot have at all. The other variables never appear in an argv. */
const OWN_NAME =
  /^(_|UID|EUID|PPID|GROUPS|IFS|PWD|OLDPWD|SHLVL|SHELLOPTS|POSIXLY_CORRECT|RANDOM|SRANDOM|SECONDS|LINENO|REPLY|MAPFILE|PIPESTATUS|DIRSTACK|FUNCNAME|BASH.*|COMP_.*|EPOCH.*|HIST.*|OPT.*|READLINE_.*|woof_.*)$/;

export function batchScript({ title, area, workdir, haltOnError, commands }: BatchBlock): string {
  return [
    '#!/bin/bash',
    `# ${title.replaceAll(/[^\x20-\x7e]/g, '?')}`,
    `woof_area=${quote(area)}`,
    `woof_halt=${haltOnError ? 'yes' : 'no'}`,
    PRELUDE,
    `woof_enter ${quote(workdir)} || woof_die "the working directory does not exist on $(hostname): the cluster nodes must be able to see it"`,
    'woof_root=$PWD',
    '',
    ...commands.flatMap(commandLines),
    'woof_mark_now done',
    'exit "$woof_failed"',
    '',
  ].join('\n');
}

export function markerStem(index: number): string {
  return String(index).padStart(3, '0');
}

function commandLines(command: BatchCommand): string[] {
  const stem = markerStem(command.index);
  const names = Object.entries(command.env);
  const own = names.filter(([name]) => !/^[A-Za-z_]\w*$/.test(name) || OWN_NAME.test(name));
  const plain = names.filter((pair) => !own.includes(pair));
  const limit = command.timeoutSeconds;
  const words = [
    ...(own.length > 0 ? ['"$woof_env"', ...own.map(([name, value]) => quote(`${name}=${value}`))] : []),
    // `env` would read a program with "=" in its name as a variable. Without a limit, timeout only runs the program.
    ...(limit || own.length > 0 ? ['"$woof_timeout"', '-k', `${KILL_AFTER_SECONDS}`, `${limit ?? 0}`] : []),
    ...[command.program, ...command.args].map(quote),
  ];
  return [
    `woof_command_${stem}() {`,
    `  woof_enter_below ${quote(command.cwd)}`,
    `  set -- ${words.join(' ')}`,
    ...plain.map(([name, value]) => `  export ${name}=${quote(value)}`),
    '  exec -- "$@"',
    '}',
    `woof_run ${stem}${command.allowFailure ? ' may_fail' : ''}`,
    '',
  ];
}
