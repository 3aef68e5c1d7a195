/**
 * The contract of a runner: it runs the commands of a block somewhere and leaves their output in an attempt's folder.
 *
 * Owns: processes, their timeouts and their output files. Does not own: policy, inputs and outputs of the stage, the
 * manifest, retries: those belong to the tool, and are the same for every runner.
 *
 * Invariants: `run` never throws because of external failures. Each command that ended is passed to `attempt.record` at
 * once, in order, with its files complete. After `host.signal` aborts, it soon stops, with everything that it started.
 */
import type { ErrorKind, JsonObject } from '@woof/net';
import type { IoPolicy } from '../tool.ts';
import type { Attempt } from './attempt.ts';
import type { ExecBlock, ExecCommand } from './exec-block.ts';
import type { Redactor } from './redactor.ts';

export interface ExecRunner {
  /** Its commands continue when this process dies: it finds them again in the attempt for which they were started. */
  readonly outlives: boolean;
  /** Whether commands that an earlier lease started for this attempt may still be running and using its folder. */
  goesOn?(attempt: Attempt): Promise<boolean>;
  /** The block is about to run, and others may wait for it. Call the result when they need not wait any more. */
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
  /** Resolved; every command's `cwd` is under it. */
  workdir: string;
  /** The complete environment of a command. */
  envOf(command: ExecCommand): Record<string, string>;
  redactor: Redactor;
  /** If present, commands run isolated, with these permissions. */
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
  /** Relative to the bundle; null if the command did not run. */
  stdout_path: string | null;
  stderr_path: string | null;
  error: string | null;
  name?: string;
  allow_failure?: true;
  /** The attempt that ran it, if it was an earlier one. */
  attempt?: number;
}

export interface RunnerEnd {
  /** What stopped the block apart from failed commands: a full disk, a cluster that refuses. */
  fault?: { kind: ErrorKind; message: string; retryable?: boolean; code?: string };
  /** The commands continue without this process: the attempt stays open for the next lease. */
  left?: true;
  /** Fields for the manifest, e.g. `slurm_job_id`. */
  manifest?: JsonObject;
  /** Names of additional files that the runner wrote, relative to the bundle. */
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
