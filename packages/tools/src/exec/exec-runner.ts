/**
 * The contract of a runner: it runs the commands of a block somewhere and leaves their output in an attempt's folder.
 *
 * Owns: processes, their time-outs and their output files. Does not own: policy, inputs and outputs of the stage, the
 * manifest, retries: those are the tool's, the same for every runner.
 *
 * Invariants: `run` never throws for the world's faults; each command that ended is given to `attempt.record` at once,
 * in order, with its files whole; it stops soon after `host.signal` aborts, with everything it started.
 */
import type { ErrorKind, JsonObject } from '@woof/net';
import type { IoPolicy } from '../tool.ts';
import type { Attempt } from './attempt.ts';
import type { ExecBlock, ExecCommand } from './exec-block.ts';
import type { Redactor } from './redactor.ts';

export interface ExecRunner {
  /** Its commands go on when this process dies: it finds them again in the attempt that they were started for. */
  readonly outlives: boolean;
  /** Whether commands that an earlier lease started for this attempt may be running: their folder is theirs. */
  goesOn?(attempt: Attempt): Promise<boolean>;
  /** The block is about to run, and others may wait for it. The result says that they need not. */
  announce?(block: ExecBlock, executionId: string, stage: string): () => void;
  run(block: ExecBlock, attempt: Attempt, host: RunnerHost): Promise<RunnerEnd>;
  close?(): Promise<void>;
}

export interface RunnerHost {
  executionId: string;
  stage: string;
  /** The same for every lease of the same try. */
  idempotencyKey: string;
  fence: number;
  signal: AbortSignal;
  now(): number;
  log(stream: 'stdout' | 'stderr', text: string): void;
  /** Resolved; what `cwd` of commands is under. */
  workdir: string;
  /** The whole environment of a command. */
  envOf(command: ExecCommand): Record<string, string>;
  redactor: Redactor;
  /** Present: commands run isolated, with this permission. */
  isolation?: IoPolicy;
  hidden: string[];
}

export type CommandStatus = 'succeeded' | 'failed' | 'timed_out' | 'skipped';

export interface CommandResult {
  index: number;
  program: string;
  args: string[];
  cwd: string;
  started_at_ms: number;
  finished_at_ms: number;
  exit_code: number | null;
  status: CommandStatus;
  /** Relative to the bundle; null where the command did not run. */
  stdout_path: string | null;
  stderr_path: string | null;
  error: string | null;
  name?: string;
  allow_failure?: true;
  /** The attempt that ran it, where an earlier one did. */
  attempt?: number;
}

export interface RunnerEnd {
  /** What stopped the block, beside commands that failed: a full disk, a cluster that refuses. */
  fault?: { kind: ErrorKind; message: string; retryable?: boolean; code?: string };
  /** The commands go on without this process: the attempt stays open for the next lease. */
  left?: true;
  /** Fields for the manifest, e.g. `slurm_job_id`. */
  manifest?: JsonObject;
  /** Names of further files that the runner wrote, relative to the bundle. */
  extraFiles?: string[];
}

export function logFiles(index: number): { stdout: string; stderr: string } {
  const stem = `cmd-${String(index).padStart(3, '0')}`;
  return { stdout: `${stem}.stdout.log`, stderr: `${stem}.stderr.log` };
}

export function skipped(command: ExecCommand, index: number, now: number, why: string): CommandResult {
  return {
    index,
    program: command.program,
    args: command.args,
    cwd: command.cwd,
    started_at_ms: now,
    finished_at_ms: now,
    exit_code: null,
    status: 'skipped',
    stdout_path: null,
    stderr_path: null,
    error: why,
    ...(command.name === undefined ? {} : { name: command.name }),
    ...(command.allow_failure ? { allow_failure: true as const } : {}),
  };
}

/** Whether a result ends a block that halts on errors. */
export function isFailure({ status, allow_failure }: CommandResult): boolean {
  return (status === 'failed' || status === 'timed_out') && !allow_failure;
}
