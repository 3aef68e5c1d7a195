import type { StdioOptions } from 'node:child_process';

/** What code may do beyond computing. Everything that is not set to true is refused. */
export interface SandboxPolicy {
  allow_files: boolean;
  allow_network: boolean;
  allow_shell: boolean;
}

export interface SandboxSpec {
  /** The program's absolute path, and its arguments. No secrets in arguments: other users can see them. */
  argv: [program: string, ...args: string[]];
  /** The whole environment; nothing is inherited. */
  env: Record<string, string>;
  policy: SandboxPolicy;
  /** The document's folder: writable with files, empty without. */
  workdir: string;
  /** Where the program starts, under workdir; workdir by default. */
  cwd?: string;
  /** Further paths to show read-only, such as an interpreter's libraries. */
  readOnly?: string[];
  /** Paths under workdir to hide in addition to `.woof`. */
  hidden?: string[];
  /** Unlimited by default. Infinity: unlimited until `changeMemory` sets a limit. */
  memoryMb?: number;
  /** Infinity: no limit. */
  maxProcesses?: number;
  tmpBytes?: number;
  /** As for `spawn`, one entry per descriptor; three pipes by default. */
  stdio?: Exclude<StdioOptions, string>;
  /** False: no isolation by the operating system (`--no-sandbox`); limits and `kill` still work. */
  isolate?: boolean;
}

export const DEFAULT_MAX_PROCESSES = 512;
export const DEFAULT_TMP_BYTES = 1024 ** 3;
