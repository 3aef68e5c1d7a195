/** Calls Slurm's own programs. Every call has a time limit, and every refusal quotes Slurm. */
import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';

export interface QueueEntry {
  /** `12`, or `12_3` in an array. */
  id: string;
  state: string;
  reason: string;
  name: string;
  /** The index in an array. */
  index?: number;
}

/** Slurm, or the connection to it, failed. */
export class SlurmFault extends Error {
  constructor(
    message: string,
    /** It may resolve itself: the controller is unavailable or busy. */
    readonly passing: boolean,
  ) {
    super(message);
  }
}

/** Slurm's programs retry for about ten seconds before they report that nobody answers. */
const LONGEST_MS = 60_000;
const MOST_OUTPUT = 256 * 1024 * 1024;
const PASSING =
  /unable to contact|connection (refused|reset|timed out)|timed out|zero bytes|temporarily|try again|communication|not responding|authentication plugin|munge/i;

/** What Slurm's programs need from this process's environment. All of it would give jobs the worker's credentials. */
const NEEDED = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|SLURM_CONF|SLURM_CLUSTERS|LD_LIBRARY_PATH)$/;

export async function sbatch(args: string[], script: string): Promise<string> {
  const answer = await call('sbatch', ['--parsable', ...args], script);
  const id = answer.trim().split(';')[0]!;
  if (/^\d+$/.test(id)) return id;
  throw new SlurmFault(`sbatch did not print a job id, but ${JSON.stringify(answer.slice(0, 200))}`, false);
}

/** All jobs of this user that Slurm still knows, including ended ones. */
export async function squeue(): Promise<QueueEntry[]> {
  const format = '%i|%T|%r|%j';
  const lines = await call('squeue', ['-h', '-r', '-t', 'all', '-u', String(userInfo().uid), '-o', format]);
  return lines.split('\n').flatMap((line) => {
    const [id, state, reason, ...name] = line.split('|');
    return name.length === 0 ? [] : [toEntry(id!.trim(), state!, reason!, name.join('|'))];
  });
}

function toEntry(id: string, state: string, reason: string, name: string): QueueEntry {
  const index = /_(\d+)$/.exec(id)?.[1];
  return { id, state, reason, name, ...(index === undefined ? {} : { index: Number(index) }) };
}

/** A job that ended meanwhile is not an error. */
export async function scancel(ids: string[]): Promise<void> {
  if (ids.length > 0) await call('scancel', ['--quiet', ...ids]);
}

async function call(program: string, args: string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = {
      env: environment(),
      timeout: LONGEST_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MOST_OUTPUT,
    } as const;
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(faultOf(program, error, stderr));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input ?? '');
  });
}

function faultOf(
  program: string,
  error: Error & { code?: unknown; killed?: boolean },
  stderr: string,
): SlurmFault {
  if (error.code === 'ENOENT') {
    const hint = 'install the Slurm client (Debian: slurm-client) there, or use executor: {kind: local}';
    return new SlurmFault(`this worker has no ${program}: ${hint}`, false);
  }
  if (error.killed === true)
    return new SlurmFault(`${program} did not answer within ${LONGEST_MS / 1000} s`, true);
  const words =
    stderr
      .trim()
      .replaceAll(/\s*\n\s*/g, '; ')
      .slice(0, 2000) || error.message;
  // Only sbatch judges the block. If another program fails, the cause is the cluster, and it may be temporary.
  const passing = program !== 'sbatch' || PASSING.test(words);
  return new SlurmFault(words.startsWith(program) ? words : `${program}: ${words}`, passing);
}

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => NEEDED.test(name)));
}
