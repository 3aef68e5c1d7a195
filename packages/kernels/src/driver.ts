/**
 * The contract of a language driver: how its process starts, and how requests are encoded for it.
 *
 * Every driver answers with JSON lines (`message.ts`). CONTRIBUTING.md says what else a language needs.
 */
import type { Json, JsonObject } from '@woof/net';
import type { SandboxPolicy } from '@woof/sandbox';
import type { Denials } from './cell-denials.ts';
import type { KernelSpec, Tables } from './kernel.ts';

export interface Driver {
  readonly language: string;
  /** Whether `interrupt` stops a cell and the kernel survives. If not, a timeout kills the kernel at once. */
  readonly interrupts: boolean;
  /** Whether `capture` and `restore` work. If not, every cell runs again. */
  readonly captures: boolean;
  /** Whether the driver enforces what each cell declared. If not, cells with different policies share no process. */
  readonly checksPolicy: boolean;
  /** Whether `save` and `load` work. */
  readonly moves: boolean;
  /** How `bind` passes tables: as columns if the language has data frames, otherwise in this form. */
  readonly tables: 'columns' | 'records' | 'csv';
  /** Why nothing may run under this policy, neither a kernel nor a cell. */
  refuse?(policy: SandboxPolicy, denials: Denials): string | undefined;
  /** Where the driver talks: on descriptor 3, or through stdin and stdout if the language supports nothing else. */
  readonly channel: 'descriptor' | 'embedded';
  /** `tmp`: the temporary folder as the process will see it. */
  launch(spec: KernelSpec, tmp: string): Promise<Launch>;
  /** How the driver starts in an image, where its channel is at `socket`. Absent if it cannot. */
  contained?(socket: string): Omit<Launch, 'readOnly'>;
  encode(request: Request): string | Buffer;
}

export interface Launch {
  argv: [program: string, ...args: string[]];
  /** In addition to the spec's own variables. */
  env: Record<string, string>;
  /** Paths that must be visible, read-only. */
  readOnly: string[];
  /** The path of the program that runs the cells, if it is not the launched program itself. */
  interpreter?: string;
  /** What the user should know about the interpreter. */
  notice?: string;
}

/** `n` grows by one per request, and every request has a new `token`. An answer must carry both. */
export type Request = { n: number; token: string } & RequestBody;

export type RequestBody =
  | {
      do: 'hello';
      workdir: string;
      tmp: string;
      hidden: string[];
      policy: SandboxPolicy;
      denials: Denials;
      parameters: JsonObject;
    }
  | {
      do: 'run';
      cell: string;
      code: string;
      declared: SandboxPolicy;
      track: boolean;
      replaced: readonly string[];
      memoryMb: number | null;
    }
  /** `gentle`: keeps an existing global unless an earlier `bind` created it. */
  | { do: 'bind'; id: string; value: Json; tables: Tables; gentle: boolean }
  /** `tables`: returns a table as its columns, with `table` set in the answer. */
  | { do: 'read'; name: string; tables: boolean }
  | { do: 'capture' }
  /** `save` answers with a text that `load` accepts in another process. */
  | { do: 'save' }
  | { do: 'load'; state: string }
  | { do: 'restore'; symbols: string };
