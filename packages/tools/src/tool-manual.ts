/**
 * What a reader must know about a kind beyond its fields. Together with the schema, it becomes the page of the kind.
 *
 * Texts are Markdown. Links are relative to the page, `docs/tools/<kind>.md`. Runs do not load manuals.
 */
import type { ErrorKind, Json, JsonObject } from '@woof/net';

export interface ToolManual {
  /** Before the fields. */
  about: Prose;
  details?: Prose;
  /** The contents of `outcome.result`, and what else rules see of an outcome. */
  result: Prose;
  errors: readonly ErrorRow[];
  /** A list of tasks. */
  example: string;
  /** The example's workload and the result of its last task, for a test. Absent if a test cannot run it. */
  gives?: {
    result: Json;
    workload?: JsonObject;
    /** The result contains more than that. */
    partly?: true;
  };
}

export type Prose = readonly (string | Table)[];

export interface Table {
  /** The first row contains the headings. */
  table: readonly (readonly string[])[];
}

export interface ErrorRow {
  kinds: readonly ErrorKind[];
  when: string;
  /** Set if it differs from what the kind says, or depends. */
  retryable?: string;
}
