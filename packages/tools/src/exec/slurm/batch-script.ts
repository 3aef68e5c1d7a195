/**
 * The script of a Slurm job: runs the commands of a block and leaves files that say how each ended.
 *
 * In the job's area: `begun` (a folder: whoever makes it may run; Slurm may start a job a second time), `stop` (nobody
 * wants the block any more), `NNN.stdout` and `NNN.stderr` of each command, and `marks`: a line for each thing that
 * happened, `job ID`, `began NNN MS`, `fault NNN WHY` (it could not start), `ended NNN STATUS MS`, `done MS`. A line counts
 * when it is whole. Bash writes them itself: programs that a script starts are most of what a small job costs.
 */
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

const PRELUDE = `woof_failed=0
woof_timeout=$(command -v timeout)
woof_env=$(command -v env)
woof_die() { echo "woof: $1" >&2; exit 1; }
woof_mark() { printf '%s\\n' "$*" >>"$woof_area/marks" || woof_die "cannot write to $woof_area"; }
woof_mark_now() {
  if [ -n "$EPOCHREALTIME" ]; then
    woof_ms=\${EPOCHREALTIME/[.,]/}
    woof_mark "$@" "\${woof_ms%???}"
  else
    woof_mark "$@" "$(date +%s%3N)"
  fi
}
woof_enter() { cd -P -- "$1" 2>/dev/null; }
woof_refuse() {
  woof_mark fault "$woof_name" "\${1//$'\\n'/ }"
  exit 126
}
# Below the working directory, links followed: an earlier command may have put one there.
woof_enter_below() {
  woof_enter "$woof_root/$1" || woof_refuse "\\"cwd\\" must be a directory that exists: nothing exists at $woof_root/$1"
  case $PWD/ in
    "\${woof_root%/}"/*) ;;
    *) woof_refuse "\\"cwd\\" must stay under workdir, but leads to $PWD" ;;
  esac
}
# index, whether it may fail
woof_run() {
  woof_name=$1
  [ ! -e "$woof_area/stop" ] || woof_die 'the block is no longer wanted'
  woof_mark_now began "$1"
  ("woof_command_$1") </dev/null >"$woof_area/$1.stdout" 2>"$woof_area/$1.stderr"
  woof_status=$?
  woof_mark_now ended "$1" "$woof_status"
  [ "$woof_status" = 0 ] || [ "$2" = may_fail ] || woof_failed=1
  if [ "$woof_failed$woof_halt" = 1yes ]; then
    woof_mark_now done
    exit 1
  fi
}

# Slurm may start a job twice, and start one that nobody waits for: only who makes this folder goes on.
if [ -e "$woof_area/stop" ] || ! mkdir "$woof_area/begun" 2>/dev/null; then
  echo 'woof: this block was started a second time, or is no longer wanted; it does nothing' >&2
  exit 0
fi
woof_mark job "$SLURM_JOB_ID"
`;

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
