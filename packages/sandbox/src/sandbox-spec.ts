import type { StdioOptions } from 'node:child_process';

/** What code may do beyond computing; everything is refused unless it says true. */
export interface SandboxPolicy {
  allow_files: boolean;
  allow_network: boolean;
  allow_shell: boolean;
}

export interface SandboxSpec {
  /** The program, by absolute path, and its arguments. Arguments are visible to other users: no secrets. */
  argv: [program: string, ...args: string[]];
  /** The whole environment: nothing is inherited. */
  env: Record<string, string>;
  policy: SandboxPolicy;
  /** The document's folder: read-write with files, an empty place without. */
  workdir: string;
  /** Where the program starts, under workdir; workdir unless set. */
  cwd?: string;
  /** Further paths that are visible, read-only: an interpreter's libraries. */
  readOnly?: string[];
  /** Paths under workdir that stay hidden beside `.woof`. */
  hidden?: string[];
  /** Unlimited unless set. Infinity: unlimited until `changeMemory` says otherwise. */
  memoryMb?: number;
  /** Infinity: no bound. */
  maxProcesses?: number;
  tmpBytes?: number;
  /** As for `spawn`, one entry a descriptor; three pipes unless set. */
  stdio?: Exclude<StdioOptions, string>;
  /** False: no isolation by the operating system (`--no-sandbox`); limits and `kill` stay. */
  isolate?: boolean;
}

export const DEFAULT_MAX_PROCESSES = 512;
export const DEFAULT_TMP_BYTES = 1024 ** 3;
