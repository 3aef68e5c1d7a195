/**
 * What a workflow stage passes to the worker: the complete form of an exec block or a gate, with every default filled
 * in.
 *
 * Strings are taken literally: nothing in them is a template any more.
 */

import type { PolicyFindings } from './policy-hold.ts';

export interface ExecInput {
  /** Relative to the folder of the document, or absolute. */
  workdir: string;
  executor: Executor;
  commands: ExecCommand[];
  halt_on_error: boolean;
  allow_shell: boolean;
  env: Record<string, string>;
  /** How often the block may be started; absent: once, and up to three times if a worker was lost. */
  max_attempts?: number;
  sandbox: boolean;
  /** Present exactly if the block runs in the sandbox. */
  io_policy?: { allow_files: boolean; allow_network: boolean; allow_shell: boolean };
  /** Globs below the working directory: the files that dependents find under `inputs/`. */
  outputs: string[];
  resumable: boolean;
  /** Where a block resumes after a crash: at its first command, or at the first command without a result. */
  restart: 'stage' | 'command';
  /** Set on a stage that a matrix made. */
  matrix?: MatrixPlace;
  /** What the policy of the server that accepted the document said; the worker adds the findings of its own policy. */
  policy?: PolicyFindings;
}

export interface ExecCommand {
  program: string;
  args: string[];
  /** Relative to the working directory. */
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
  /** The id of the stage as written in the document. */
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
