/**
 * The contract of a language driver: how its process starts, and how requests are spelled for it.
 *
 * A driver answers with JSON lines (`message.ts`), in every language the same. Adding a
 * language = one folder that exports a `Driver`, and one line in `languages.ts`.
 */
import type { Json, JsonObject } from '@woof/net';
import type { SandboxPolicy } from '@woof/sandbox';
import type { Denials } from './cell-denials.ts';
import type { KernelSpec, Tables } from './kernel.ts';

export interface Driver {
  readonly language: string;
  /** Whether `interrupt` makes a cell stop and the kernel survive; else a time-out kills at once. */
  readonly interrupts: boolean;
  /** Whether `capture` and `restore` work; else every cell is run again. */
  readonly captures: boolean;
  /** Whether the driver holds each cell to what it declared; else cells with different policies share no process. */
  readonly checksPolicy: boolean;
  /** Whether `save` and `load` work. */
  readonly moves: boolean;
  /** What `bind` makes of tables: given as columns where the language has data frames, else as this. */
  readonly tables: 'columns' | 'records' | 'csv';
  /** Why nothing may run under this policy, neither a kernel nor a cell. */
  refuse?(policy: SandboxPolicy): string | undefined;
  /** Where the driver talks: on descriptor 3, or in its stdin and stdout where the language knows no other. */
  readonly channel: 'descriptor' | 'embedded';
  /** `tmp`: the temporary folder, as the process will see it. */
  launch(spec: KernelSpec, tmp: string): Promise<Launch>;
  /** How it starts within an image, where it finds its channel at `socket`; absent where it cannot. */
  contained?(socket: string): Omit<Launch, 'readOnly'>;
  encode(request: Request): string | Buffer;
}

export interface Launch {
  argv: [program: string, ...args: string[]];
  /** Beside the spec's own. */
  env: Record<string, string>;
  /** What must be visible, read-only. */
  readOnly: string[];
  /** The path of what runs the cells, where it is not the program itself. */
  interpreter?: string;
  /** What a person should know about that. */
  notice?: string;
}

/** `n` grows by one a request; `token` is new for each. An answer must carry both. */
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
      memoryMb: number | null;
    }
  /** `gentle`: a global that is not from an earlier `bind` stays. */
  | { do: 'bind'; id: string; value: Json; tables: Tables; gentle: boolean }
  /** `tables`: a table as its columns, with `table` in the answer. */
  | { do: 'read'; name: string; tables: boolean }
  | { do: 'capture' }
  /** `save` answers with a text that `load` takes in another process. */
  | { do: 'save' }
  | { do: 'load'; state: string }
  | { do: 'restore'; symbols: string };
