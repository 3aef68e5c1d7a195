/**
 * The contract of a kernel: one process in one sandbox, shared by cells of one execution.
 *
 * Owns: the types that pass between the worker and a language driver. Does not own: the order of cells, the cache, the
 * sidecar (they belong to the worker and the engine).
 *
 * Invariants: a cell cannot forge the driver's messages (the protocol uses neither the cell's stdout nor a descriptor
 * that it inherits). Outputs arrive in the order in which they were made. A cell that fails leaves the kernel usable. A
 * kernel that dies says so once and stays dead.
 */
import type { Json, JsonObject } from '@woof/net';
import type { SandboxPolicy } from '@woof/sandbox';
import type { Denials } from './cell-denials.ts';

export interface KernelSpec {
  /** python, javascript, bash, r, or the language of an installed Jupyter kernel. */
  language: string;
  /** The name of an installed Jupyter kernel to use instead of the built-in one. */
  kernel?: string;
  /** The notebook's folder: cells run in it, but see it only with files. */
  workdir: string;
  /** What the cell that needs the kernel may do, and with it the process. */
  policy: SandboxPolicy;
  /** The wording of denials. By default, that of a notebook that allows nothing. */
  denials?: Denials;
  /** What all cells of the session together may do. The process may do this if the language itself checks each cell. */
  shared?: SandboxPolicy;
  /** The limit of the cell. Infinity: this cell has no limit, but another cell of the session has one. */
  memoryMb?: number;
  /** Bound in every language as `parameters` and `woof.parameters`. */
  parameters: JsonObject;
  /** The header's `env.requirements`. If an environment was built for them, it runs the cells. */
  requirements?: readonly string[];
  /** The folder that contains those environments. */
  environments?: string;
  /** The header's `env.container.image`: the kernel runs in a container of this image. */
  container?: string;
  /** Environment variables for the process; nothing else is inherited. */
  env?: Record<string, string>;
  /** False: no isolation by the operating system. Policy checks, timeouts and output limits still apply. */
  sandbox: boolean;
  /** Paths that no cell may see, such as the data directory. */
  hidden: string[];
}

export interface Kernel {
  readonly spec: KernelSpec;
  readonly alive: boolean;
  /** The path of the program that runs its cells. */
  readonly interpreter: string;
  /** What the user should know about the interpreter, if it is not the one that they would expect. */
  readonly notice?: string | undefined;
  /** The owner of its files, if not the user who runs Woof. */
  readonly user?: { uid: number; gid: number } | undefined;
  /**
   * Takes on the memory limit of a spec. Returns false if a cell with this spec needs its own process, because the
   * language cannot enforce a policy per cell. Throws if the cell's limit cannot be applied.
   */
  adapt(spec: KernelSpec): boolean;
  /** The whole state, for a kernel of the same language with another policy. Undefined if it cannot be saved. */
  save(): Promise<string | undefined>;
  load(state: string): Promise<void>;
  /** Runs one cell at a time. Never throws because of what a cell does. */
  run(cell: CellRun, sink: CellSink): Promise<CellEnd>;
  /**
   * Binds a value as `woof["id"]`, and as a global if the id is an identifier. With `tables`, the value is an object
   * from another language, and the tables are further entries of it: data frames if the language has them. In that
   * case, a global of that name that a cell has set is kept.
   */
  bind(id: string, value: Json, tables?: Tables): Promise<void>;
  /** The value of a global as JSON, tables as lists of records. Undefined if it does not exist or is not JSON. */
  read(name: string): Promise<Json | undefined>;
  /** The same, for a kernel of another language: a native table stays a table. */
  share(name: string): Promise<Shared | undefined>;
  /** What the last cell changed, even if it failed, and data for `restore` if the changes can be restored. */
  capture(): Promise<Capture>;
  restore(symbols: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Columns by name, all of the same length. A missing value is null. */
export type Table = Record<string, Json[]>;
export type Tables = Record<string, Table>;
export type Shared = { value: Json } | { table: Table };

export interface CellRun {
  id: string;
  code: string;
  /** What this cell declared. Using more is a PolicyError, even if another cell of the kernel may. */
  declared: SandboxPolicy;
  /** `capture` will follow: the driver records the state before the cell, which takes time proportional to its size. */
  track?: boolean;
  /** Names that the cell assigns before it reads them, if it assigns them at all: `capture` says whether it did. */
  replaced?: readonly string[];
  timeoutMs?: number;
  signal: AbortSignal;
}

export interface CellSink {
  output(output: CellOutput): void;
}

/** The subset of Jupyter's output schema that the sidecar uses. */
export type CellOutput =
  | { output_type: 'stream'; name: 'stdout' | 'stderr'; text: string }
  | { output_type: 'display_data' | 'execute_result'; data: MimeBundle; metadata: JsonObject }
  | CellError;

/** MIME type → text; binary types as base64, as in Jupyter. */
export type MimeBundle = Record<string, Json>;

export interface CellError {
  output_type: 'error';
  ename: string;
  evalue: string;
  traceback: string[];
}

export interface CellEnd {
  /** `died`: the process is gone (killed, crashed, out of memory, `os._exit`). */
  status: 'ok' | 'error' | 'timeout' | 'died';
  error?: CellError;
  /** A connection failure, network timeout, try-again error or killed kernel: `retries` may try again. */
  transient: boolean;
  durationMs: number;
  /** Output that was dropped because of the limit. */
  droppedBytes: number;
}

/**
 * What a cell changed: all of it, serialised by the language itself and decoded only inside a sandbox; or why it cannot
 * be restored.
 */
export type Capture = ChangedNames &
  ({ complete: true; symbols: Uint8Array } | { complete: false; reason: string });

export interface ChangedNames {
  /** Every name that the cell changed. Absent if it also changed something without a name, or if nobody can tell. */
  names?: string[];
  /** For names that hold something importable, where it is imported from. */
  imports?: Record<string, string>;
  /** Those whose values nobody misses: nothing shows when another cell replaces them. */
  quiet?: string[];
}
