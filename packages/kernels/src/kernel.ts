/**
 * The contract of a kernel: one process, in one sandbox, that cells of one execution share.
 *
 * Owns: the shapes that pass between the worker and a language driver. Does not own: the order of cells, the cache,
 * the sidecar (all of them the worker's and the engine's).
 *
 * Invariants: a cell cannot forge what the driver says (the protocol is neither the cell's stdout nor a descriptor
 * that it inherits); outputs come in the order in which they were made; a cell that fails leaves the kernel usable,
 * a kernel that dies says so once and stays dead.
 */
import type { Json, JsonObject } from '@woof/net';
import type { SandboxPolicy } from '@woof/sandbox';
import type { Denials } from './cell-denials.ts';

export interface KernelSpec {
  /** python, javascript, bash, r, or that of an installed Jupyter kernel. */
  language: string;
  /** The name of an installed Jupyter kernel, in place of the language's own. */
  kernel?: string;
  /** The notebook's folder: cells run there, and see it only with files. */
  workdir: string;
  /** What the cell that needs the kernel may do, and with it the process. */
  policy: SandboxPolicy;
  /** What a denial says; that of a cell in a notebook which allows nothing, unless set. */
  denials?: Denials;
  /** What all cells of the session may do together: the process may, if the language itself checks each cell. */
  shared?: SandboxPolicy;
  /** That of the cell. Infinity: it has no limit, and another cell of the session has one. */
  memoryMb?: number;
  /** Bound in every language as `parameters`, and as `woof.parameters`. */
  parameters: JsonObject;
  /** The header's `env.requirements`: the environment that was made for them runs the cells, where there is one. */
  requirements?: readonly string[];
  /** The folder of those environments. */
  environments?: string;
  /** The header's `env.container.image`: the kernel runs in a container of it. */
  container?: string;
  /** Environment variables for the process; nothing else is inherited. */
  env?: Record<string, string>;
  /** False: no isolation by the operating system. Policy checks, time-outs and output limits stay. */
  sandbox: boolean;
  /** Paths that no cell may see: the data directory. */
  hidden: string[];
}

export interface Kernel {
  readonly spec: KernelSpec;
  readonly alive: boolean;
  /** The path of the program that runs its cells. */
  readonly interpreter: string;
  /** What a person should know about it: it is not the one that they would expect. */
  readonly notice?: string | undefined;
  /** Who its files belong to, if not to whoever runs Woof. */
  readonly user?: { uid: number; gid: number } | undefined;
  /**
   * Takes on the memory limit of a spec. False: a cell with this spec needs a process of its own, since the language
   * cannot hold cells to different policies. Throws if the limit cannot be that of the cell.
   */
  adapt(spec: KernelSpec): boolean;
  /** The whole state, for a kernel of the same language with another policy; undefined if the language cannot tell it. */
  save(): Promise<string | undefined>;
  load(state: string): Promise<void>;
  /** One at a time. Never throws for what a cell does. */
  run(cell: CellRun, sink: CellSink): Promise<CellEnd>;
  /**
   * Binds a value as `woof["id"]`, and as a global where the id is an identifier. With tables it is an object from
   * another language, and they are further entries of it: data frames where the language has them. A global of that
   * name which a cell has set stays then.
   */
  bind(id: string, value: Json, tables?: Tables): Promise<void>;
  /** The value of a global as JSON, tables as lists of records; undefined where there is none or it is no JSON. */
  read(name: string): Promise<Json | undefined>;
  /** The same for a kernel of another language: a table of the language's own stays one. */
  share(name: string): Promise<Shared | undefined>;
  /** What the last cell changed, also where it failed; and all of that for `restore`, if it can be given back. */
  capture(): Promise<Capture>;
  restore(symbols: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Columns by name, all of one length; what is missing is null. */
export type Table = Record<string, Json[]>;
export type Tables = Record<string, Table>;
export type Shared = { value: Json } | { table: Table };

export interface CellRun {
  id: string;
  code: string;
  /** What this cell declared: using more is a PolicyError, also where another cell of the kernel may. */
  declared: SandboxPolicy;
  /** `capture` will be asked after it: the driver notes the state before, which costs time that grows with it. */
  track?: boolean;
  timeoutMs?: number;
  signal: AbortSignal;
}

export interface CellSink {
  output(output: CellOutput): void;
}

/** The subset of Jupyter's output schema that the sidecar has. */
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
  /** Connection, network time-out, try-again, a killed kernel: `retries` may try again. */
  transient: boolean;
  durationMs: number;
  /** Output that was not kept because of the limit. */
  droppedBytes: number;
}

/**
 * What a cell changed: all of it, serialised by the language itself and opened again only inside a sandbox; or why it
 * cannot be given back.
 */
export type Capture = ChangedNames &
  ({ complete: true; symbols: Uint8Array } | { complete: false; reason: string });

export interface ChangedNames {
  /** All that the cell changed; absent where that has no name too, or nobody can tell. */
  names?: string[];
  /** Of those that hold what can be imported, from where. */
  imports?: Record<string, string>;
}
