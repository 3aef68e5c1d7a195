/** One task, once: render its input, call its tool, give back the outcome. */
import { isTemplate } from '@woof/expr';
import {
  type Assignment,
  arcSource,
  asData,
  type CellTask,
  entriesRead,
  type FieldSchema,
  failure,
  indexOf,
  isObject,
  type JobPort,
  type Json,
  type JsonObject,
  type Locals,
  mergeLayers,
  naming,
  type Outcome,
  type Pipeline,
  RenderError,
  renderObject,
  type Site,
  StepScope,
  settled,
  type Task,
  usedKeychain,
  type World,
} from '@woof/net';
import type { Blobs, Parked, Tool } from '@woof/tools';
import { callPlaybook } from './call-playbook.ts';
import { callTool } from './call-tool.ts';
import type { CellRunner } from './cells/cell-runner.ts';
import { guard } from './keychain/guard.ts';
import type { Keychain } from './keychain/keychain.ts';
import { KeychainFault } from './keychain/keychain-fault.ts';
import type { Keychains } from './keychain/keychains.ts';
import { refuseNamedByData } from './keychain/named-by-data.ts';
import { type HowToSet, tellUndeclared, tellUnknownEntry } from './keychain/unknown-entry.ts';
import type { Gates } from './limits.ts';
import type { LogSink } from './log-sink.ts';
import { type JobStores, storedFailure } from './result-store/job-stores.ts';
import type { ResultStores } from './result-store/result-stores.ts';
import { settledInput } from './task-input.ts';
import { withValues } from './with-values.ts';

export interface PerformOptions {
  tools: ReadonlyMap<string, Tool>;
  blobs: Blobs;
  logs: LogSink;
  sandbox: boolean;
  /** Folders that no task may see: the data directory. */
  hidden: string[];
  limits: Gates;
  /** The slot of a task is free while this runs. */
  aside?<T>(waiting: () => Promise<T>): Promise<T>;
  /** Absent: this worker runs no notebooks. */
  cells?: CellRunner;
  /** Absent: this worker has no secrets. */
  keychains?: Keychains;
  /** Absent: results go to the data directory or the server, whatever documents say. */
  resultStores?: ResultStores;
  /** The largest stored value that a template or a task may read; absent: VALUE_BYTES. */
  valueBytes?: number;
}

/** What a task needs of the job that it belongs to. */
export interface JobOfTask {
  signal(): AbortSignal;
  onStop(stop: (reason: unknown) => void): () => void;
  /** The secrets of the execution, where it uses some. Only the fields of tools ever see them. */
  unlock(): Promise<Keychain | undefined>;
}

export interface Performance {
  task: Task;
  taskRunId: string;
  site: Site;
  locals: Locals;
  assignment: Assignment;
  /** As this job sees it: with what it wrote itself. */
  world: World;
  pipeline: Pipeline;
  port: JobPort;
  job: JobOfTask;
  options: PerformOptions;
  /** Where the plan names stores of its own for results. */
  stores?: JobStores;
  /** How many named tasks deep. */
  depth?: number;
  /** What the call of a named task gives its tool over the tool's own `args`: values, never read as templates. */
  given?: JsonObject | undefined;
}

const DEEPEST_NAMED = 16;

export async function perform(performance: Performance): Promise<Outcome | Parked> {
  const { task } = performance;
  try {
    if (task.kind === 'cell') return await performCell(performance);
    if (task.kind === 'exec') return await performExec(performance);
    const keychain = usedKeychain(performance.assignment.plan).length > 0 && (await performance.job.unlock());
    if (!keychain) return await performWith(performance, undefined);
    const seen = keychain.values;
    const outcome = await performWith(performance, keychain);
    // A named task has had its second chance itself.
    const wasRefused = task.kind !== 'workbook' && outcome.status === 'error' && outcome.http?.status === 401;
    if (!wasRefused || !(await keychain.renew(entriesOf(task), seen))) return outcome;
    return await performWith(performance, keychain);
  } catch (error) {
    if (error instanceof RenderError) return renderFailure(error, performance);
    if (error instanceof KeychainFault)
      return failure('auth', `${error.message}; ${error.fix}`, { retryable: error.retryable });
    return (
      storedFailure(error) ??
      failure('unknown', `the ${task.kind} task failed unexpectedly: ${(error as Error).message}`)
    );
  }
}

function renderFailure(error: RenderError, performance: Performance): Outcome {
  const message = tellUndeclared(error, performance.assignment.plan, howToSet(performance));
  return { status: 'error', error: { ...error.toError(), message } };
}

async function performWith(outer: Performance, keychain: Keychain | undefined): Promise<Outcome | Parked> {
  const { task } = outer;
  const open = keychain ? unlocked(outer, keychain) : outer;
  const fields = rendered(open, task.input, '', (given) => inputOf(outer, given));
  const input = fields instanceof Promise ? await fields : fields;
  if (task.kind === 'workbook') return performNamed(outer, input);
  const knobs = rendered(open, task.spec, '/spec', (given) => settledInput(given, {}, outer.port.host));
  const spec = knobs instanceof Promise ? await knobs : knobs;
  const performance = outer.stores
    ? await storing(outer, outer.stores, keychain?.withCredentials(spec, task.spec) ?? spec)
    : outer;
  // What a nested playbook is given is kept in its log.
  if (task.kind === 'playbook')
    return callPlaybook(
      performance,
      (keychain?.redactor.json(input) as JsonObject | undefined) ?? input,
      spec,
    );
  const { plan } = outer.assignment;
  const told = (outcome: Outcome | Parked) => tellUnknownEntry(outcome, plan, task, howToSet(outer));
  if (keychain) return told(await callGuarded(performance, input, spec, keychain));
  refuseNamedByData(plan.keychain, input, task.input);
  return told(await callTool(performance, input, spec));
}

function howToSet({ options, assignment }: Performance): HowToSet {
  return (name, fields) =>
    options.keychains?.howToSet(assignment, name, fields) ?? `woof secret set ${[name, ...fields].join(' ')}`;
}

async function callGuarded(
  performance: Performance,
  input: JsonObject,
  spec: JsonObject,
  keychain: Keychain,
): Promise<Outcome | Parked> {
  const { task } = performance;
  const guarded = guard(performance, keychain.redactor);
  try {
    const unnamed = keychain.withCredentials(named(task, input), named(task, task.input));
    return await callTool(guarded, unnamed, spec);
  } finally {
    guarded.flush();
  }
}

/** The one kind that takes an entry by `name`. */
function named({ kind }: Task, input: JsonObject): JsonObject {
  return kind === 'secrets' ? { credential: input.name ?? null, ...input } : input;
}

/** What the tool stores goes where the document wants it. */
async function storing(performance: Performance, stores: JobStores, spec: JsonObject): Promise<Performance> {
  const { options } = performance;
  const blobs = stores.blobs(await stores.choose(spec), options.blobs);
  return { ...performance, options: { ...options, blobs } };
}

/** With the keychain in sight. */
function unlocked(performance: Performance, { values: keychain }: Keychain): Performance {
  const { site, world, locals } = performance;
  return { ...performance, site: { ...site, scope: new StepScope({ ...world, keychain }, locals) } };
}

/** Entries whose tokens a task used, as far as its text tells. */
function entriesOf({ input, spec }: Task): ReadonlySet<string> {
  const names = new Set<string>();
  const look = (value: Json): void => {
    if (typeof value === 'string') {
      if (!isTemplate(value)) names.add(value);
      else for (const name of entriesRead(value)) names.add(name);
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(look);
  };
  look([input, spec]);
  return names;
}

function rendered(
  { port, site }: Pick<Performance, 'port' | 'site'>,
  template: JsonObject,
  path: string,
  settle: (given: JsonObject) => JsonObject,
): Evaluated {
  return withValues(port, () => settle(renderObject(template, site, path)));
}

/** Arguments of named tasks and of nested playbooks are handed on as they are stored. */
function inputOf({ task, given, options, port }: Performance, fields: JsonObject): JsonObject {
  const input = withGiven(fields, given);
  const isHandedOn = task.kind === 'playbook' || task.kind === 'workbook';
  const schema = isHandedOn ? HANDED_ON : options.tools.get(task.kind)?.schema.fields;
  return settledInput(input, schema ?? {}, port.host);
}

const HANDED_ON: Record<string, FieldSchema> = {
  args: { type: 'object', doc: 'for the nested playbook', stored: 'fields' },
  payload: { type: 'object', doc: 'for the nested playbook', stored: 'fields' },
};

type Evaluated = JsonObject | Promise<JsonObject>;

/** A cell's body is code, not a template: nothing of it is rendered. */
async function performCell(performance: Performance): Promise<Outcome> {
  const { task, taskRunId, assignment, options } = performance;
  if (options.cells === undefined) return failure('schema', 'this worker does not run notebook cells');
  const outcome = await options.cells.run({
    cell: task.input as unknown as CellTask,
    assignment,
    signal: performance.job.signal(),
    durable: () => performance.port.durable(assignment),
    log: (stream, text) => options.logs.write(assignment, taskRunId, stream, text),
  });
  return asData(outcome);
}

/** A block's program, arguments and environment are no templates either; it gets what its predecessors gave. */
async function performExec(performance: Performance): Promise<Outcome | Parked> {
  const { task, port } = performance;
  const upstream = await withValues(port, () => upstreamOf(performance));
  return callTool(performance, withGiven(task.input, performance.given), task.spec, upstream);
}

function upstreamOf({ assignment, world, port }: Performance): JsonObject {
  const { plan, step } = assignment;
  const before = new Set(indexOf(plan).incoming(step.name).map(arcSource));
  const results = [...before].flatMap((name) => {
    const result = world.steps.get(name)?.result;
    if (result === undefined) return [];
    const load = naming(`the result of "${name}"`, (reference) => port.host.load?.(reference));
    return [[name, settled(result, load)] as const];
  });
  return Object.fromEntries(results);
}

/** A `workbook` task runs the playbook's named task with args of its own. */
async function performNamed(performance: Performance, input: JsonObject): Promise<Outcome | Parked> {
  const depth = (performance.depth ?? 0) + 1;
  if (depth > DEEPEST_NAMED)
    return failure('schema', `named tasks call each other more than ${DEEPEST_NAMED} deep`);
  const { assignment, locals, port, world } = performance;
  const name = String(input.name);
  const block = Object.hasOwn(assignment.plan.blocks, name) ? assignment.plan.blocks[name] : undefined;
  if (block === undefined) {
    const known = Object.keys(assignment.plan.blocks).join(', ') || 'none';
    return failure('schema', `the playbook has no workbook task "${name}"; it has: ${known}`);
  }
  const inner: Locals = { ...locals, args: { ...locals.args, ...(input.args as JsonObject | undefined) } };
  const scope = new StepScope(world, inner);
  const site: Site = { plan: assignment.plan, scope, host: port.host, path: `workbook/${name}` };
  // Its own knobs are the innermost layer; the rest it takes from where it is called.
  const spec = mergeLayers(performance.task.spec, block.spec);
  const given = takesArgs(block, performance.options.tools) && isObject(input.args) ? input.args : undefined;
  return perform({ ...performance, task: { ...block, spec }, site, locals: inner, depth, given });
}

function takesArgs({ kind }: Task, tools: PerformOptions['tools']): boolean {
  return kind === 'playbook' || kind === 'workbook' || tools.get(kind)?.schema.fields.args !== undefined;
}

function withGiven(input: JsonObject, given: JsonObject | undefined): JsonObject {
  if (given === undefined) return input;
  return { ...input, args: { ...(isObject(input.args) ? input.args : {}), ...given } };
}
