/**
 * What a reader must know of a kind beyond its fields; with the schema it becomes the page of the kind.
 *
 * Texts are Markdown; links start at the page, `docs/tools/<kind>.md`. No run loads manuals.
 */
import type { ErrorKind, Json, JsonObject } from '@woof/net';

export interface ToolManual {
  /** Before the fields. */
  about: Prose;
  details?: Prose;
  /** What stands in `outcome.result`, and what else rules see of an outcome. */
  result: Prose;
  errors: readonly ErrorRow[];
  /** A list of tasks. */
  example: string;
  /** What the last task of the example gives, with which workload: tests run it. Absent where it needs what a test has not. */
  gives?: {
    result: Json;
    workload?: JsonObject;
    /** The result has more than that. */
    partly?: true;
  };
}

export type Prose = readonly (string | Table)[];

export interface Table {
  /** The first row has the titles. */
  table: readonly (readonly string[])[];
}

export interface ErrorRow {
  kinds: readonly ErrorKind[];
  when: string;
  /** Where it is otherwise than the kind says, or depends. */
  retryable?: string;
}
