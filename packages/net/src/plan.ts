/**
 * The plan: a Petri net of steps, the one form that every document compiles to.
 *
 * Plain JSON, so that it can be stored with an execution and replayed by any process. Strings may be templates; they
 * are compiled when first evaluated. `where` maps the path of a template inside the plan to its position in the source,
 * so that an evaluation error can name the line.
 */

import type { Position } from './diagnostic.ts';
import type { JoinMode } from './join-modes.ts';
import type { Json, JsonObject } from './json.ts';
import type { PolicyFindings } from './policy-hold.ts';

export interface Plan {
  /** The version of the format; default: 1. */
  version?: number;
  kind: 'playbook' | 'notebook' | 'workflow';
  name: string;
  /** The catalogue path (`metadata.path`), if any. */
  path?: string;
  /** Steps that get a token when the execution starts. */
  entry: string[];
  /**
   * `route`: an unrouted failure ends the execution. `skip`: a failure skips its descendants and the rest continues.
   */
  failure: 'route' | 'skip';
  /** All jobs of a run stay on one worker. */
  isLocal?: true;
  workload: JsonObject;
  keychain: KeychainEntry[];
  steps: Step[];
  /** How many jobs may be leased at once; absent: as many as workers take. Jobs of the lowest rank go first. */
  concurrency?: number;
  /** Named reusable tasks (`workbook` of a playbook). */
  blocks: Record<string, Task>;
  /** Path of a template or of code in the plan, e.g. `fetch/tool/get_page/url` → its position in the source. */
  where: Record<string, Position>;
  /** Path of code whose line n is not at line `where + n - 1` of the source → the source line of each of its lines. */
  codeLines?: Record<string, number[]>;
}

export interface KeychainEntry {
  name: string;
  kind: string;
  [field: string]: Json;
}

export interface Step {
  name: string;
  desc?: string;
  at: Position;
  join: JoinMode;
  /** Labels that a worker needs to run it. */
  labels?: Record<string, string>;
  /** Its position in the order, if the plan limits its concurrency. */
  rank?: number;
  /** The policy findings when the document was submitted: a person must approve the step before it runs. */
  hold?: PolicyFindings;
  /** Why this run leaves the step out: `disabled`, `not selected`. */
  idle?: string;
  /** Admission rules in order; if empty, the step is always admitted. */
  admit: AdmitRule[];
  /** Extra args, rendered over the token's args: when the step is scheduled, and for each iteration of a loop. */
  args?: JsonObject;
  /** ctx patch that is applied when the step succeeds. */
  setCtx?: JsonObject;
  loop?: Loop;
  tasks: Task[];
  next: Router;
}

export interface AdmitRule {
  /** Absent on an `else` rule. */
  when?: string;
  allow: boolean;
}

export interface Router {
  mode: 'exclusive' | 'inclusive';
  arcs: Arc[];
}

export interface Arc {
  step: string;
  when?: string;
  args?: JsonObject;
  at: Position;
}

export interface Loop {
  /** A list, or a template that evaluates to one. */
  in: Json;
  iterator: string;
  mode: 'sequential' | 'parallel';
  /** A positive integer or a template that evaluates to one. Sequential loops have 1. */
  maxInFlight: Json;
  exec: 'distributed' | 'local';
  failure: 'fail_fast' | 'best_effort';
  inner?: Loop;
}

export interface Task {
  label: string;
  kind: string;
  at: Position;
  /** All fields of the task except kind, spec and name: the tool's own fields, including templates. */
  input: JsonObject;
  /** The effective spec: kind defaults, executor, step, loop and task layers merged. Never contains `policy`. */
  spec: JsonObject;
  /** Absent: ok continues, error fails. */
  rules?: PolicyRule[];
}

export interface PolicyRule {
  /** Absent on an `else` rule. */
  when?: string;
  then: Then;
}

export type Do = 'retry' | 'jump' | 'continue' | 'break' | 'fail' | 'skip';

export interface Then {
  do: Do;
  attempts?: Json;
  backoff?: 'none' | 'linear' | 'exponential';
  /** Seconds, or a template. */
  delay?: Json;
  to?: string;
  set_iter?: JsonObject;
  set_ctx?: JsonObject;
  set_vars?: JsonObject;
  set_shared?: JsonObject;
  set_prev?: Json;
}

/** What a linter must know about a tool kind; each tool declares its own. */
export interface ToolSchema {
  kind: string;
  summary: string;
  fields: Record<string, FieldSchema>;
  /** At least one field of each group is required, e.g. [['url', 'endpoint']]. */
  needs?: string[][];
  /** It only computes: it may start before everything that led to it is durable, and run again after a crash. */
  pure?: boolean;
  /** The tool runs code from the document, so `io_policy` governs it. */
  runsCode?: boolean;
  /** It never uses the folder of the document, unless the document's code may read files. */
  anywhere?: boolean;
  /** The log of another run keeps its whole input. */
  keepsInput?: boolean;
  /** The field that names the keychain entry if a task does not set `credential`. */
  credentialFrom?: string;
  /** Outermost spec layer. */
  defaults?: JsonObject;
}

export interface FieldSchema {
  type: 'string' | 'number' | 'boolean' | 'object' | 'list' | 'any';
  doc: string;
  oneOf?: string[];
  /** The field of which this is only another name. */
  sameAs?: string;
  /** The field whose place it takes: a task cannot have both. */
  insteadOf?: string;
  /** Every user of the machine can see its value. */
  onCommandLine?: boolean;
  /** What applies if it is not set, in words for a reader. */
  unset?: string;
  /**
   * Stored values arrive as references. `kept`: wherever they are, because the tool only passes them on. `streamed`: if
   * the bytes of one are its value as JSON. `tables`: if they are rows, each by its name. `fields`: in the fields of a
   * map. For all other fields the tool receives the values.
   */
  stored?: 'kept' | 'streamed' | 'tables' | 'fields';
}
