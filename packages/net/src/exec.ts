/**
 * What a stage of a workflow gives to the worker: the complete form of an exec block or a gate, every default said.
 *
 * Strings are taken as they are: nothing in them is a template any more.
 */

/** Whether the task is an exec block, with an `ExecInput`. */
export function isExecBlock(task: { kind: string } | undefined): boolean {
  return task?.kind === 'exec';
}

export interface ExecInput {
  /** Relative to the folder of the document, or absolute. */
  workdir: string;
  executor: Executor;
  commands: ExecCommand[];
  halt_on_error: boolean;
  allow_shell: boolean;
  env: Record<string, string>;
  /** How often the block may be begun; absent: once, and up to three times where a worker was lost. */
  max_attempts?: number;
  sandbox: boolean;
  /** There exactly where the block runs in the sandbox. */
  io_policy?: { allow_files: boolean; allow_network: boolean; allow_shell: boolean };
  /** Globs below the working directory: what dependents find under `inputs/`. */
  outputs: string[];
  resumable: boolean;
  /** Where a block that a crash interrupted goes on: at its first command, or at the first without a result. */
  restart: 'stage' | 'command';
  /** Of a stage that a matrix made. */
  matrix?: MatrixPlace;
  /** What the rules of the server that took the document said; the worker adds what its own say. */
  policy?: { warnings: string[]; violations: string[] };
}

export interface ExecCommand {
  program: string;
  args: string[];
  /** Below the working directory. */
  cwd?: string;
  env: Record<string, string>;
  timeout_sec?: number;
  name?: string;
  allow_failure: boolean;
}

export type Executor = { kind: 'local' } | SlurmExecutor;

export interface SlurmExecutor {
  kind: 'slurm';
  partition?: string;
  time_limit?: string;
  cpus_per_task?: number;
  mem_mb?: number;
  account?: string;
  qos?: string;
  extra_args: string[];
  poll_ms: number;
}

/** Stages of one group differ only in these values, so an executor may submit them together. */
export interface MatrixPlace {
  /** The id of the stage as it is written. */
  group: string;
  values: Record<string, string | number | boolean>;
  /** From 0, in the order of the expansion. */
  index: number;
  count: number;
}

export interface GateInput {
  message?: string;
  timeout_sec?: number;
  approvers?: string[];
}
