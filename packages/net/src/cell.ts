/** A notebook cell as its task carries it: the input of kind `cell`. Plain data; never rendered as a template. */
import type { CellType } from './cell-types.ts';
import type { Json, JsonObject } from './json.ts';

export interface CellTask {
  id: string;
  type: CellType;
  /** The language of the body; `vega` for a chart. */
  language: string;
  /** The Jupyter kernel that the cell names, in place of the default for its language. */
  kernel?: string;
  /** The session in which it shares state; an isolated cell has a session of its own. */
  session: string;
  isolated: boolean;
  body: string;
  /** The parsed value of a data cell. */
  value?: Json;
  /** What the cell says it needs. It receives the part that the header, or the person at the terminal, allows. */
  declared: Permissions;
  /** What the header allows. */
  allowed: Permissions;
  /** What at least one cell of its session declares. */
  permissions: Permissions;
  timeoutSec?: number;
  /** For this cell alone, even if it shares a kernel. */
  memoryMb?: number;
  /** Ids of the cells that it depends on, in the order in which they run. */
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
