/**
 * Runs the cells of a notebook: the cache first, then a kernel that has what the cell builds on.
 *
 * Owns: what a kernel must be given before a cell may run in it, outputs to the sidecar, what is kept for next time.
 * Does not own: the order of cells and what a failure skips (the net), how a language runs (kernels).
 * Invariant: a cell sees the same state whether its ancestors ran, were restored, or ran again after a crash.
 */
import type {
  CellEnd,
  CellError,
  CellOutput,
  ChartEnd,
  ChartRequest,
  Kernel,
  KernelSpec,
} from '@woof/kernels';
import {
  type Assignment,
  type CellTask,
  failure,
  isObject,
  type Json,
  type JsonObject,
  type Outcome,
  type Plan,
} from '@woof/net';
import {
  type CacheEntry,
  CellCache,
  digest,
  hasEffects,
  type KeyParts,
  keyOf,
  keyParts,
} from './cell-cache.ts';
import type { FilledChart } from './chart-cell.ts';
import { pruneCache } from './prune-cache.ts';
import { type Session, Sessions } from './sessions.ts';
import { asks, namesAsked, partFor, type SharedValues, takeValues } from './shared-values.ts';
import { artifactPath, CHART_FILE, filesOf, Sidecar, type SidecarLine } from './sidecar.ts';

export interface CellOptions {
  startKernel: (spec: KernelSpec) => Promise<Kernel>;
  renderChart: (request: Omit<ChartRequest, 'renderer'>) => Promise<ChartEnd>;
  /** What the cache key holds of the machine: versions of drivers and interpreters. */
  runtime: (cell: Pick<CellTask, 'language' | 'kernel' | 'env'>) => Promise<string>;
  cacheFolder: string;
  sandbox: boolean;
  hidden: string[];
  useCache: boolean;
  /** The outcome carries what a cell displays: nobody looks beside the notebook. */
  carriesOutputs?: boolean;
}

export interface CellCall {
  cell: CellTask;
  assignment: Assignment;
  signal: AbortSignal;
  /** An effect waits for it; false: the job is no longer ours. */
  durable(): Promise<boolean>;
  log(stream: 'stdout' | 'stderr', text: string): void;
}

/** What of an assignment a key depends on. */
type KeyContext = Pick<Assignment, 'plan' | 'source' | 'granted' | 'execution_id'> & {
  world: { workload: JsonObject };
};

/** Of a run that there might be. */
export interface Circumstances {
  source: JsonObject;
  granted: JsonObject;
  parameters: JsonObject;
}

export class CellRunner {
  private readonly sessions: Sessions;
  private readonly cache: CellCache;
  private readonly sidecars = new Map<string, Sidecar>();
  private readonly carried = new Map<CellCall, SidecarLine>();
  /** By execution: what cells with effects left. */
  private readonly observed = new Map<string, Map<string, string>>();
  /** By execution: what cells gave to those of other languages. */
  private readonly shared = new Map<string, Map<string, SharedValues>>();
  private used = false;
  private readonly ending = new Set<Promise<void>>();

  constructor(private readonly options: CellOptions) {
    this.sessions = new Sessions(options.startKernel);
    this.cache = new CellCache(options.cacheFolder);
  }

  async run(call: CellCall): Promise<Outcome> {
    const outcome = await this.runCell(call);
    const line = this.carried.get(call);
    this.carried.delete(call);
    return line === undefined ? outcome : { ...outcome, outputs: line as unknown as Json };
  }

  private async runCell(call: CellCall): Promise<Outcome> {
    const { cell } = call;
    this.used = true;
    if (cell.type === 'data') return { status: 'ok', result: cell.value ?? null };
    const refusal = refused(cell, call.assignment);
    if (refusal) {
      this.write(call, [refusal], false);
      return failed(cell, {
        status: 'error',
        error: refusal,
        transient: false,
        durationMs: 0,
        droppedBytes: 0,
      });
    }
    const parts = cell.cache ? await this.partsOf(cell, call.assignment) : undefined;
    const known = parts && this.options.useCache ? this.cache.get(keyOf(parts)) : undefined;
    if (known && parts) {
      this.write(call, known.outputs, true);
      await this.shareAgain(call, parts, known);
      return { status: 'ok', result: known.result, cached: true };
    }
    return cell.type === 'viz' ? this.draw(call, parts) : this.execute(call, parts);
  }

  /** Why a cell would run again, or that it would not; for people. */
  async explain(cell: CellTask, plan: Plan, { source, granted, parameters }: Circumstances): Promise<string> {
    if (cell.type === 'data') return 'it is data: it is bound, not run';
    if (!cell.cache) return 'it always runs: the header does not say execution.cache: content-hash';
    if (hasEffects(cell)) return 'it always runs: it declares effects, which no key can hold';
    const parts = await this.partsOf(cell, {
      plan,
      source,
      granted,
      world: { workload: parameters },
      execution_id: '',
    });
    if (parts === undefined) return 'it depends on what cells with effects leave, which only a run can tell';
    if (this.cache.get(keyOf(parts)))
      return 'it would come from the cache: nothing that it depends on has changed';
    const before = await this.cache.lastParts(String(source.file), cell.id);
    if (before === undefined) return 'it would run: it has not run well before';
    const changed = Object.keys(parts).filter((part) => parts[part] !== before[part]);
    return changed.length === 0
      ? 'it would run: its entry is gone from the cache'
      : `it would run: changed since it last ran well: ${changed.join(', ')}`;
  }

  /** Resolves when nothing of it is written or runs any more; what failed is told by `close`. */
  ended(executionId: string): Promise<void> {
    const sidecar = this.sidecars.get(executionId);
    this.sidecars.delete(executionId);
    this.observed.delete(executionId);
    this.shared.delete(executionId);
    // A kernel that does not end by itself is killed with this process.
    const kernels = this.sessions.end(executionId).catch(() => {});
    const ending = kernels.then(() => sidecar?.end());
    this.ending.add(ending);
    return ending.then(
      () => void this.ending.delete(ending),
      () => {},
    );
  }

  async close(): Promise<void> {
    try {
      await Promise.all(this.ending);
      if (this.used) await pruneCache(this.options.cacheFolder, Date.now()).catch(() => 0);
    } finally {
      await this.sessions.close();
    }
  }

  private async execute(call: CellCall, parts: KeyParts | undefined): Promise<Outcome> {
    const { cell, assignment } = call;
    const name = cell.isolated ? `${cell.session} ${cell.id}` : cell.session;
    const session = this.sessions.of(assignment.execution_id, name);
    const outputs: CellOutput[] = [];
    if (!(await call.durable())) return failure('cancelled', 'the job is no longer wanted');
    try {
      const kernel = await this.prepare(call, session);
      if (!('run' in kernel)) {
        this.write(call, [kernelError(kernel)], false);
        return kernel;
      }
      const end = await kernel.run(runOf(cell, call), {
        output: (output) => collect(outputs, output, call),
      });
      if (end.droppedBytes > 0) noteDropped(outputs, end.droppedBytes, call);
      this.write(call, outputs, false);
      if (end.status !== 'ok') return failed(cell, end);
      session.applied.add(cell.id);
      const result = resultOf(outputs);
      if (cell.cache) await this.remember(call, parts, kernel, { outputs, result });
      else await this.share(call, kernel);
      return { status: 'ok', result };
    } finally {
      if (cell.isolated) await session.close();
    }
  }

  private async draw(call: CellCall, known: KeyParts | undefined): Promise<Outcome> {
    const { cell, assignment } = call;
    if (!(await call.durable())) return failure('cancelled', 'the job is no longer wanted');
    const { chartOutputs, fillChart, problemEnd } = await import('./chart-cell.ts');
    const filled = await fillChart(cell, {
      cells: cellsOf(assignment.plan),
      read: (name) => this.readVariable(call, name),
    });
    if ('output_type' in filled) {
      this.write(call, [filled], false);
      return failed(cell, problemEnd(filled));
    }
    const parts = cell.cache ? (known ?? (await this.partsOfData(cell, filled))) : undefined;
    const entry = parts && !known && this.options.useCache ? this.cache.get(keyOf(parts)) : undefined;
    if (entry) {
      this.write(call, entry.outputs, true);
      return { status: 'ok', result: entry.result, cached: true };
    }
    const end = await this.options.renderChart(chartRequest(call, filled, this.options.sandbox));
    const outputs = chartOutputs(filled, end);
    this.write(call, outputs, false);
    if (end.status !== 'ok') return failed(cell, end);
    const result = { file: artifactPath(cell.id, CHART_FILE) };
    if (parts) await this.keep(call, parts, { outputs, result });
    return { status: 'ok', result };
  }

  /** From the kernels of what the cell builds on, the latest first. Bash has no tables, isolated kernels are gone. */
  private async readVariable(call: CellCall, name: string): Promise<Json | undefined> {
    const { cell, assignment } = call;
    const cells = cellsOf(assignment.plan);
    const ancestors = cell.needs.flatMap((id) => cells.get(id) ?? []);
    const shared = ancestors.filter(
      ({ type, isolated }) => (type === 'code' || type === 'test') && !isolated,
    );
    for (const session of new Set(shared.toReversed().map((ancestor) => ancestor.session))) {
      const own = shared.filter((ancestor) => ancestor.session === session);
      // Only what these have seen themselves: a chart changes nothing for the cells after it.
      const seen = new Set(own.flatMap(({ id, needs }) => [...needs, id]));
      const reader = { ...own.at(-1)!, needs: cell.needs.filter((id) => seen.has(id)) };
      const kernel = await this.prepare(
        { ...call, cell: reader },
        this.sessions.of(assignment.execution_id, session),
      );
      if (!('run' in kernel)) throw new Error(kernel.error?.message ?? 'the kernel cannot be read');
      const value = await kernel.read(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** A kernel that has everything the cell builds on. */
  private async prepare(call: CellCall, session: Session): Promise<Kernel | Outcome> {
    const { cell, assignment } = call;
    const cells = cellsOf(assignment.plan);
    try {
      const kernel = await session.open(this.kernelSpec(cell, assignment));
      for (const id of cell.needs) {
        const ancestor = cells.get(id);
        if (ancestor === undefined) continue;
        if (ancestor.type === 'data') await bind(kernel, session, ancestor);
        else if (!cell.isolated && ancestor.session === cell.session)
          await this.apply(call, kernel, session, ancestor);
      }
      await this.give(call, kernel);
      return kernel;
    } catch (error) {
      return failure('unknown', (error as Error).message);
    }
  }

  /** Gives the kernel what an earlier cell left: from the cache, or by running it again without its outputs. */
  private async apply(call: CellCall, kernel: Kernel, session: Session, ancestor: CellTask): Promise<void> {
    if (session.applied.has(ancestor.id) || ancestor.isolated) return;
    const parts = await this.partsOf(ancestor, call.assignment);
    const entry = parts && this.cache.get(keyOf(parts));
    if (!(await restored(kernel, entry))) {
      await this.give({ ...call, cell: ancestor }, kernel);
      await runAgain(call, kernel, ancestor);
    }
    session.applied.add(ancestor.id);
  }

  /** Takes what other languages ask the cell for, right after it ran. */
  private async share(call: CellCall, kernel: Kernel): Promise<SharedValues | undefined> {
    const { cell, assignment } = call;
    const names = namesAsked(cell, cellsOf(assignment.plan));
    if (names.length === 0) return undefined;
    const taken = await takeValues(kernel, cell.id, names);
    this.sharedIn(assignment.execution_id).set(cell.id, taken);
    return taken;
  }

  /** The same for a cell that came from the cache: kept with it, unless somebody asks for more by now. */
  private async shareAgain(call: CellCall, parts: KeyParts, entry: CacheEntry): Promise<void> {
    const { cell, assignment } = call;
    const names = namesAsked(cell, cellsOf(assignment.plan));
    if (names.length === 0) return;
    const { shared } = entry;
    if (shared && names.every((name) => shared.names.includes(name))) {
      this.sharedIn(assignment.execution_id).set(cell.id, shared);
      return;
    }
    const taken = await this.takeLate(call, cell, names);
    await this.cache.put(keyOf(parts), { ...entry, shared: taken });
  }

  /** From a kernel that has its state again. */
  private async takeLate(call: CellCall, giver: CellTask, names: string[]): Promise<SharedValues> {
    const { execution_id: id } = call.assignment;
    const session = this.sessions.of(id, giver.isolated ? `${giver.session} ${giver.id}` : giver.session);
    const reader = giver.isolated ? giver : { ...giver, needs: [...giver.needs, giver.id] };
    try {
      const kernel = await this.prepare({ ...call, cell: reader }, session);
      if (!('run' in kernel)) throw new Error(kernel.error?.message ?? 'the kernel cannot be read');
      if (giver.isolated) await runAgain(call, kernel, giver);
      const taken = await takeValues(kernel, giver.id, names);
      this.sharedIn(id).set(giver.id, taken);
      return taken;
    } finally {
      if (giver.isolated) await session.close();
    }
  }

  /** Gives the kernel what the cell asks cells of other languages for. */
  private async give(call: CellCall, kernel: Kernel): Promise<void> {
    const { cell, assignment } = call;
    const cells = cellsOf(assignment.plan);
    for (const giver of cell.needs.flatMap((id) => cells.get(id) ?? [])) {
      if (!asks(cell, giver)) continue;
      const known = this.sharedIn(assignment.execution_id).get(giver.id);
      const shared = known ?? (await this.takeLate(call, giver, namesAsked(giver, cells)));
      if (shared.problem) throw new Error(shared.problem);
      const { values, tables } = partFor(cell, giver, shared);
      await kernel.bind(giver.id, values, tables);
    }
  }

  private sharedIn(executionId: string): Map<string, SharedValues> {
    let shared = this.shared.get(executionId);
    if (shared === undefined) {
      shared = new Map();
      this.shared.set(executionId, shared);
    }
    return shared;
  }

  private async remember(
    call: CellCall,
    parts: KeyParts | undefined,
    kernel: Kernel,
    entry: CacheEntry,
  ): Promise<void> {
    const { cell, assignment } = call;
    if (!cell.isolated) {
      const capture = await kernel.capture();
      if (capture.complete) entry.symbols = Buffer.from(capture.symbols).toString('base64');
      else entry.incomplete = capture.reason;
    }
    const shared = await this.share(call, kernel);
    if (shared) entry.shared = shared;
    if (hasEffects(cell) && entry.symbols !== undefined) {
      this.observedIn(assignment.execution_id).set(cell.id, digest(entry.symbols));
    }
    if (parts !== undefined) await this.keep(call, parts, entry);
  }

  private async keep({ cell, assignment }: CellCall, parts: KeyParts, entry: CacheEntry): Promise<void> {
    await this.cache.put(keyOf(parts), entry);
    await this.cache.noteParts(String(assignment.source.file), cell.id, parts);
  }

  private observedIn(executionId: string): Map<string, string> {
    let observed = this.observed.get(executionId);
    if (observed === undefined) {
      observed = new Map();
      this.observed.set(executionId, observed);
    }
    return observed;
  }

  private write(call: CellCall, outputs: CellOutput[], cached: boolean): void {
    const { assignment, cell } = call;
    const file = assignment.source.file;
    const now = { cell: cell.id, timestamp: new Date().toISOString(), outputs };
    const line: SidecarLine = cached ? { ...now, cached: true } : now;
    if (this.options.carriesOutputs) this.carried.set(call, line);
    if (this.options.carriesOutputs || typeof file !== 'string') return;
    let sidecar = this.sidecars.get(assignment.execution_id);
    if (sidecar === undefined) {
      sidecar = new Sidecar(file, new Set(cellsOf(assignment.plan).keys()));
      this.sidecars.set(assignment.execution_id, sidecar);
    }
    sidecar.write(line, filesOf(cell.type));
  }

  private async partsOf(cell: CellTask, assignment: KeyContext): Promise<KeyParts | undefined> {
    const cells = cellsOf(assignment.plan);
    const ancestors = cell.needs.flatMap((id) => cells.get(id) ?? []);
    return keyParts(cell, {
      ancestors,
      observed: this.observed.get(assignment.execution_id) ?? new Map(),
      parameters: assignment.world.workload,
      granted: assignment.granted,
      runtime: await this.runtimeOf(cell, ancestors),
    });
  }

  /** Where effects came before, their bodies do not tell what a chart shows; the data itself does. */
  private async partsOfData(cell: CellTask, { spec }: FilledChart): Promise<KeyParts> {
    return {
      body: digest([cell.type, cell.body]),
      data: digest(spec),
      runtime: await this.options.runtime(cell),
    };
  }

  /** What a cell builds on may be of any language. */
  private async runtimeOf(cell: CellTask, ancestors: readonly CellTask[]): Promise<string> {
    const others = ancestors.filter(({ type }) => type !== 'data');
    const bySession = new Map([cell, ...others].map((one) => [one.session, one]));
    return (await Promise.all([...bySession.values()].map(this.options.runtime))).join(', ');
  }

  private kernelSpec(cell: CellTask, assignment: Assignment): KernelSpec {
    const spec: KernelSpec = {
      language: cell.language,
      workdir: String(assignment.source.folder ?? '.'),
      policy: withGrants(cell.permissions, assignment),
      parameters: assignment.world.workload,
      sandbox: this.options.sandbox,
      hidden: this.options.hidden,
    };
    if (cell.kernel !== undefined) spec.kernel = cell.kernel;
    if (cell.memoryMb !== undefined) spec.memoryMb = cell.memoryMb;
    return { ...spec, ...environmentOf(cell.env) };
  }
}

/** What of the header's `env` a kernel starts with. */
export function environmentOf(env: Json): Pick<KernelSpec, 'requirements' | 'container'> {
  const { requirements, container } = isObject(env) ? env : {};
  if (isObject(container)) return { container: String(container.image) };
  return Array.isArray(requirements) ? { requirements: requirements.map(String) } : {};
}

async function runAgain(call: CellCall, kernel: Kernel, cell: CellTask): Promise<void> {
  const end = await kernel.run(runOf(cell, call), { output: () => {} });
  if (end.status === 'ok') return;
  throw new Error(`cell "${cell.id}" had to run again and failed: ${end.error?.ename}: ${end.error?.evalue}`);
}

/** What cannot be restored runs again: the names it sets are the same. */
async function restored(kernel: Kernel, entry: CacheEntry | undefined): Promise<boolean> {
  if (entry?.symbols === undefined) return false;
  try {
    await kernel.restore(Buffer.from(entry.symbols, 'base64'));
    return true;
  } catch {
    return false;
  }
}

function withGrants(policy: CellTask['permissions'], assignment: Assignment): CellTask['permissions'] {
  const { allow_files, allow_network, allow_shell } = assignment.granted;
  return {
    allow_files: policy.allow_files || allow_files === true,
    allow_network: policy.allow_network || allow_network === true,
    allow_shell: policy.allow_shell || allow_shell === true,
  };
}

function runOf(cell: CellTask, { assignment, signal }: CellCall): Parameters<Kernel['run']>[0] {
  const run = {
    id: cell.id,
    code: cell.body,
    declared: withGrants(cell.declared, assignment),
    track: cell.cache,
    signal,
  };
  return cell.timeoutSec === undefined ? run : { ...run, timeoutMs: cell.timeoutSec * 1000 };
}

function chartRequest(
  { cell, assignment, signal }: CellCall,
  { chart, spec }: FilledChart,
  sandbox: boolean,
): Parameters<CellOptions['renderChart']>[0] {
  return {
    spec,
    kind: chart.kind,
    workdir: String(assignment.source.folder ?? '.'),
    sandbox,
    signal,
    ...(cell.timeoutSec === undefined ? {} : { timeoutMs: cell.timeoutSec * 1000 }),
    ...(cell.memoryMb === undefined ? {} : { memoryMb: cell.memoryMb }),
  };
}

const EFFECTS = [
  ['allow_network', 'net', 'network'],
  ['allow_shell', 'shell', 'shell'],
  ['allow_files', 'fs', 'files'],
] as const;

/** A cell that declares what nobody allows is not run at all. Shell implies files, and runs without them. */
function refused(cell: CellTask, assignment: Assignment): CellError | undefined {
  const allowed = withGrants(cell.allowed, assignment);
  for (const [key, effect, grant] of EFFECTS) {
    const implied = key === 'allow_files' && cell.declared.allow_shell;
    if (!cell.declared[key] || allowed[key] || implied) continue;
    const evalue = `cell "${cell.id}" declares ${effect}, and io_policy.${key} is false; set it to true, or run with --allow ${grant}`;
    return { output_type: 'error', ename: 'PolicyError', evalue, traceback: [] };
  }
  return undefined;
}

/** Outputs in order; pieces of one stream that follow each other become one. */
function collect(outputs: CellOutput[], output: CellOutput, call: CellCall): void {
  const last = outputs.at(-1);
  if (output.output_type !== 'stream') {
    outputs.push(output);
    return;
  }
  call.log(output.name, output.text);
  if (last?.output_type === 'stream' && last.name === output.name) last.text += output.text;
  else outputs.push({ ...output });
}

/** An error stays the last output. */
function noteDropped(outputs: CellOutput[], bytes: number, call: CellCall): void {
  const text = `\n[${bytes} more bytes of output were dropped]\n`;
  call.log('stderr', text.trimStart());
  const at = outputs.at(-1)?.output_type === 'error' ? outputs.length - 1 : outputs.length;
  outputs.splice(at, 0, { output_type: 'stream', name: 'stderr', text });
}

/** A cell that found no kernel shows why, as one that failed in it does. */
function kernelError({ error }: Outcome): CellError {
  return {
    output_type: 'error',
    ename: 'KernelError',
    evalue: error?.message ?? 'no kernel started',
    traceback: [],
  };
}

async function bind(kernel: Kernel, session: Session, data: CellTask): Promise<void> {
  if (session.bound.has(data.id)) return;
  await kernel.bind(data.id, data.value ?? null);
  session.bound.add(data.id);
}

function resultOf(outputs: readonly CellOutput[]): Json {
  const last = outputs.findLast((output) => output.output_type === 'execute_result');
  if (last === undefined || last.output_type !== 'execute_result') return null;
  return last.data['application/json'] ?? last.data['text/plain'] ?? null;
}

function failed(cell: CellTask, end: CellEnd): Outcome {
  const { ename = 'Error', evalue = end.status, traceback = [] } = end.error ?? {};
  const kind = end.status === 'timeout' ? 'timeout' : ename === 'PolicyError' ? 'policy' : 'exception';
  const details = { traceback: traceback.join('\n'), cell: cell.id };
  const more = { retryable: end.transient, exception_type: ename, details };
  return failure(kind, evalue ? `${ename}: ${evalue}` : ename, more);
}

const indexes = new WeakMap<Plan, ReadonlyMap<string, CellTask>>();

function cellsOf(plan: Plan): ReadonlyMap<string, CellTask> {
  let cells = indexes.get(plan);
  if (cells === undefined) {
    const tasks = plan.steps.flatMap((step) => step.tasks.filter((task) => task.kind === 'cell'));
    cells = new Map(tasks.map((task) => [task.label, task.input as unknown as CellTask]));
    indexes.set(plan, cells);
  }
  return cells;
}
