/** A notebook cell as its task carries it: the input of kind `cell`. Plain data; never rendered as a template. */
import type { CellType } from './cell-types.ts';
import type { Json, JsonObject } from './json.ts';

export interface CellTask {
  id: string;
  type: CellType;
  /** The language of the body; `vega` of a chart. */
  language: string;
  /** The Jupyter kernel that it names, in place of the language's own. */
  kernel?: string;
  /** The session it shares state in; cells that are isolated have one of their own. */
  session: string;
  isolated: boolean;
  body: string;
  /** The parsed value of a data cell. */
  value?: Json;
  /** What the cell says it needs; it gets what of that the header, or the person at the terminal, allows. */
  declared: Permissions;
  /** What the header allows. */
  allowed: Permissions;
  /** What at least one cell of its session declares. */
  permissions: Permissions;
  timeoutSec?: number;
  /** Of this cell alone, also where it shares a kernel. */
  memoryMb?: number;
  /** Ids of the cells that it builds on, in the order in which they run. */
  needs: string[];
  /** The header's `env`, as part of the cache key. */
  env: Json;
  cache: boolean;
}

export interface Permissions extends JsonObject {
  allow_files: boolean;
  allow_network: boolean;
  allow_shell: boolean;
}
