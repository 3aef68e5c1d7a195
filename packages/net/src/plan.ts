/**
 * The plan: a Petri net of steps, the one form that every document compiles to.
 *
 * Plain JSON, so that it can be stored with an execution and replayed by any process. Strings may be templates;
 * they are compiled when first evaluated. `where` maps the path of a template inside the plan to its place in the
 * source, so that an evaluation error can name the line.
 */

import type { Position } from './diagnostic.ts';
import type { JoinMode } from './join-modes.ts';
import type { Json, JsonObject } from './json.ts';
import type { PolicyFindings } from './policy-hold.ts';

export interface Plan {
  /** Of the format; absent: 1. */
  version?: number;
  kind: 'playbook' | 'notebook' | 'workflow';
  name: string;
  /** The catalogue path (`metadata.path`), where there is one. */
  path?: string;
  /** Steps that get a token when the execution starts. */
  entry: string[];
  /** `route`: an unrouted failure ends the execution. `skip`: a failure skips its descendants, the rest goes on. */
  failure: 'route' | 'skip';
  /** All jobs of a run stay on one worker. */
  isLocal?: true;
  workload: JsonObject;
  keychain: KeychainEntry[];
  steps: Step[];
  /** How many jobs may be leased at once; absent: as many as workers take. Those of the lowest rank go first. */
  concurrency?: number;
  /** Named reusable tasks (`workbook` of a playbook). */
  blocks: Record<string, Task>;
  /** Path of a template, or of code, in the plan, e.g. `fetch/tool/get_page/url` → its place in the source. */
  where: Record<string, Position>;
  /** Path of code whose line n does not stand at line `where + n - 1` of the source → the line of each of its lines. */
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
  /** Labels that a worker must have to run it. */
  labels?: Record<string, string>;
  /** Its place in the order, where the plan bounds its concurrency. */
  rank?: number;
  /** What the safety policy said against it when the document was submitted: a person must let it run. */
  hold?: PolicyFindings;
  /** Why it stands aside from this run: `disabled`, `not selected`. */
  idle?: string;
  /** Admission rules in order; none means always. */
  admit: AdmitRule[];
  /** Extra args, rendered over the token's args: when the step is scheduled, and for each iteration of a loop. */
  args?: JsonObject;
  /** ctx patch applied when the step ends well. */
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
  /** A list, or a template that gives one. */
  in: Json;
  iterator: string;
  mode: 'sequential' | 'parallel';
  /** A positive whole number or a template that gives one. Sequential loops have 1. */
  maxInFlight: Json;
  exec: 'distributed' | 'local';
  failure: 'fail_fast' | 'best_effort';
  inner?: Loop;
}

export interface Task {
  label: string;
  kind: string;
  at: Position;
  /** Everything of the task that is not kind, spec, name: the tool's own fields, templates included. */
  input: JsonObject;
  /** The effective spec: kind defaults, executor, step, loop and task layers merged. Never holds `policy`. */
  spec: JsonObject;
  /** Absent: ok continues, error fails. */
  rules?: PolicyRule[];
}

/** Whether the task runs a named task of the playbook in its place. */
export function isNamedCall({ kind }: Pick<Task, 'kind'>): boolean {
  return kind === 'workbook';
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

/** What a linter must know of a tool kind; each tool declares its own. */
export interface ToolSchema {
  kind: string;
  summary: string;
  fields: Record<string, FieldSchema>;
  /** Of each group at least one field must be there, e.g. [['url', 'endpoint']]. */
  needs?: string[][];
  /** It only computes: it may start before what led to it is durable, and be computed again after a crash. */
  pure?: boolean;
  /** The tool runs code that the document gives, so `io_policy` governs it. */
  runsCode?: boolean;
  /** It never looks at the folder of the document, unless code of it may read files. */
  anywhere?: boolean;
  /** All that it is given is kept in the log of another run. */
  keepsInput?: boolean;
  /** The field that names a keychain entry, for a kind whose `credential` is not set. */
  credentialFrom?: string;
  /** Outermost spec layer. */
  defaults?: JsonObject;
}

export interface FieldSchema {
  type: 'string' | 'number' | 'boolean' | 'object' | 'list' | 'any';
  doc: string;
  oneOf?: string[];
  /** The field that this is only another name of. */
  sameAs?: string;
  /** All users of the machine can see its value. */
  onCommandLine?: boolean;
  /** What counts where it is not set, in words for a reader. */
  unset?: string;
  /**
   * Stored values come as references: `kept` wherever they are, as the tool only hands them on; `streamed` where the bytes
   * of one are its value as JSON, `tables` where they are rows, each by its name; `fields` in the fields of a map. Of all other
   * fields the tool gets the values.
   */
  stored?: 'kept' | 'streamed' | 'tables' | 'fields';
}
