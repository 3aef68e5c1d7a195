/**
 * The script of a Slurm job: runs the commands of a block and leaves files that say how each ended.
 *
 * In the job's area: `begun` (a folder: whoever makes it may run; Slurm may start a job a second time), `stop` (nobody
 * wants the block any more), `NNN.stdout` and `NNN.stderr` of each command, and `marks`: a line for each thing that
 * happened, `job ID`, `began NNN MS`, `fault NNN WHY` (it could not start), `ended NNN STATUS MS`, `done MS`. A line counts
 * when it is whole. Bash writes them itself: programs that a script starts are most of what a small job costs.
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
  /** For the reader of the script. */
  title: string;
  area: string;
  workdir: string;
  haltOnError: boolean;
  commands: BatchCommand[];
}

/** After SIGTERM. */
const KILL_AFTER_SECONDS = 5;

/** Names that bash keeps for itself, or cannot have at all, are given by `env`; the others never stand in an argv. */
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
    // To env, a program with "=" in its name would be a variable; without a limit it is only passed on.
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
