/**
 * Runs the cells of a notebook: looks in the cache first, then runs the cell in a kernel that has what the cell depends
 * on.
 *
 * Owns: whether a cell runs, outputs to the sidecar, what is stored for next time.
 * Does not own: the order of cells and what a failure skips (the net), what a kernel must have (`prepared-kernels.ts`),
 * how a language runs (kernels).
 */
import type { CellError, CellOutput, ChartEnd, ChartRequest, Kernel } from '@woof/kernels';
import { type CellTask, failure, type Json, type Outcome, type Plan, traitsOf } from '@woof/net';
import { type CacheEntry, CellCache, digest, hasEffects, type KeyParts, keyOf } from './cell-cache.ts';
import { type CellCall, chartRequest, type RunSetting, refusalOf, runOf } from './cell-call.ts';
import { inCellFolder } from './cell-folder.ts';
import { CellKeys, type KeyContext, type Runtime } from './cell-keys.ts';
import {
  collect,
  failed,
  kernelError,
  logValues,
  noteDropped,
  refusedEnd,
  resultOf,
  withoutKernel,
} from './cell-outcome.ts';
import { type Circumstances, explainerOf } from './explain-cell.ts';
import { missingName } from './missing-name.ts';
import { cellsOf } from './plan-cells.ts';
import { type KernelOptions, PreparedKernels } from './prepared-kernels.ts';
import { pruneCache } from './prune-cache.ts';
import type { Left } from './seen-cells.ts';
import { artifactPath, CHART_FILE, filesOf, Sidecar, type SidecarLine } from './sidecar.ts';

export interface CellOptions extends KernelOptions {
  renderChart: (request: Omit<ChartRequest, 'renderer'>) => Promise<ChartEnd>;
  runtime: Runtime;
  cacheFolder: string;
  useCache: boolean;
  /** The outcome carries what a cell displays, because nobody reads the sidecar. */
  carriesOutputs?: boolean;
}

export class CellRunner {
  private readonly cache: CellCache;
  private readonly keys: CellKeys;
  private readonly kernels: PreparedKernels;
  private readonly sidecars = new Map<string, Sidecar>();
  private readonly carried = new Map<CellCall, SidecarLine>();
  private used = false;
  private readonly ending = new Set<Promise<void>>();

  constructor(private readonly options: CellOptions) {
    this.cache = new CellCache(options.cacheFolder);
    this.keys = new CellKeys(this.cache, options.runtime);
    this.kernels = new PreparedKernels(options, this.cache, this.keys);
  }

  async run(call: CellCall): Promise<Outcome> {
    const outcome = await this.runCell(call);
    const line = this.carried.get(call);
    this.carried.delete(call);
    return line === undefined ? outcome : { ...outcome, outputs: line as unknown as Json };
  }

  /**
   * Starts the kernel of the first cell while its run is still being prepared, unless the cell is in the cache. Nothing
   * runs in it before the log says so. Resolves once its process is starting.
   */
  async foresee(setting: RunSetting): Promise<void> {
    const cell = firstToRun(setting.plan);
    if (cell === undefined || refusalOf({ cell, assignment: setting })) return;
    if (cell.cache && this.options.useCache) {
      const parts = await this.partsOf(cell, this.kernels.contextOf(setting));
      if (parts && this.cache.get(keyOf(parts))) return;
    }
    this.kernels.startAhead(cell, setting);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Explains to people why a cell would run again, or that it would not. */
  explainer(plan: Plan, circumstances: Circumstances): (cell: CellTask) => Promise<string> {
    return explainerOf({ ...circumstances, plan }, { cache: this.cache, keys: this.keys });
  }

  /** Resolves when nothing of the execution is running or being written any more. Failures are reported by `close`. */
  ended(executionId: string): Promise<void> {
    const sidecar = this.sidecars.get(executionId);
    this.sidecars.delete(executionId);
    this.keys.forget(executionId);
    // A kernel that does not end by itself is killed with this process.
    const kernels = this.kernels.end(executionId).catch(() => {});
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
      await this.kernels.close();
    }
  }

  private async runCell(call: CellCall): Promise<Outcome> {
    const { cell } = call;
    this.used = true;
    const { isValue, isChart } = traitsOf(cell);
    if (isValue) return { status: 'ok', result: cell.value ?? null };
    const refusal = refusalOf(call);
    if (refusal) {
      this.write(call, [refusal], false);
      return failed(cell, refusedEnd(refusal));
    }
    const context = this.kernels.contextOf(call.assignment);
    const parts = cell.cache ? await this.partsOf(cell, context) : undefined;
    const known = parts && this.options.useCache ? this.cache.get(keyOf(parts)) : undefined;
    if (known && parts) {
      this.write(call, known.outputs, true);
      logValues(call, known.outputs);
      context.traces.note(cell.id, known);
      await this.kernels.values.shareAgain(call, parts, known);
      return { status: 'ok', result: known.result, cached: true };
    }
    return isChart ? this.draw(call, parts) : this.execute(call, parts);
  }

  /** No key if the cell's interpreter cannot be found: its kernel then reports on the cell what is missing. */
  private partsOf(cell: CellTask, context: KeyContext): Promise<KeyParts | undefined> {
    return this.keys.partsOf(cell, context).catch(() => undefined);
  }

  private async execute(call: CellCall, parts: KeyParts | undefined): Promise<Outcome> {
    const { cell, assignment } = call;
    const session = this.kernels.sessionOf(assignment, cell);
    const outputs: CellOutput[] = [];
    if (!(await call.durable())) return failure('cancelled', 'the job is no longer needed');
    try {
      const { remains } = this.keys.tracesOf(assignment.execution_id);
      const before = remains.size;
      const kernel = await this.kernels.prepare(call);
      if (!('run' in kernel)) {
        const error = kernelError(kernel);
        this.write(call, [error], false);
        return withoutKernel(cell, error);
      }
      this.tell(call, kernel);
      const sink = { output: (output: CellOutput) => collect(outputs, output, call) };
      const run = runOf(call, this.kernels.replacedBy(call));
      const end = await inCellFolder(call, kernel, () => kernel.run(run, sink));
      if (end.droppedBytes > 0) noteDropped(outputs, end.droppedBytes, call);
      this.write(call, outputs, false);
      if (end.status !== 'ok') {
        if (cell.cache && kernel.alive) {
          session.applied.add(cell.id);
          const left = await leftBy(kernel);
          if (left === undefined || left.length > 0) remains.set(cell.id, left);
        }
        const hint = missingName(cell, cellsOf(assignment.plan), end.error);
        return { ...failed(cell, end, hint), meta: { interpreter: kernel.interpreter } };
      }
      session.applied.add(cell.id);
      const result = resultOf(outputs);
      const isSure = remains.size === before;
      if (cell.cache) await this.remember(call, isSure ? parts : undefined, kernel, { outputs, result });
      else await this.kernels.values.share(call, kernel);
      return { status: 'ok', result, meta: { interpreter: kernel.interpreter } };
    } finally {
      if (cell.isolated) await session.close();
    }
  }

  /** Once per run: reports what is unexpected about the interpreter. */
  private tell({ assignment, log }: CellCall, { notice }: Kernel): void {
    const { told } = this.keys.tracesOf(assignment.execution_id);
    if (notice === undefined || told.has(notice)) return;
    told.add(notice);
    log('stderr', `note: ${notice}\n`);
  }

  private async draw(call: CellCall, known: KeyParts | undefined): Promise<Outcome> {
    const { cell, assignment } = call;
    if (!(await call.durable())) return failure('cancelled', 'the job is no longer needed');
    const { chartOutputs, fillChart } = await import('./chart-cell.ts');
    const filled = await fillChart(cell, {
      cells: cellsOf(assignment.plan),
      read: (name) => this.kernels.readVariable(call, name),
    });
    if ('output_type' in filled) {
      this.write(call, [filled], false);
      return failed(cell, refusedEnd(filled));
    }
    const parts = cell.cache ? (known ?? (await this.keys.partsOfData(cell, filled))) : undefined;
    const entry = parts && !known && this.options.useCache ? this.cache.get(keyOf(parts)) : undefined;
    if (entry) {
      this.write(call, entry.outputs, true);
      logValues(call, entry.outputs);
      return { status: 'ok', result: entry.result, cached: true };
    }
    const end = await this.options.renderChart(chartRequest(call, filled, this.options.sandbox));
    const outputs = chartOutputs(filled, end);
    this.write(call, outputs, false);
    logValues(call, outputs);
    if (end.status !== 'ok') return failed(cell, end);
    const result = { file: artifactPath(cell.id, CHART_FILE) };
    if (parts) await this.keep(call, parts, { outputs, result });
    return { status: 'ok', result };
  }

  private async remember(
    call: CellCall,
    parts: KeyParts | undefined,
    kernel: Kernel,
    entry: CacheEntry,
  ): Promise<void> {
    const { cell, assignment } = call;
    const traces = this.keys.tracesOf(assignment.execution_id);
    if (!cell.isolated) {
      const capture = await kernel.capture();
      traces.note(cell.id, capture);
      if (capture.names) entry.names = capture.names;
      if (capture.imports) entry.imports = capture.imports;
      if (capture.quiet) entry.quiet = capture.quiet;
      if (capture.complete) entry.symbols = Buffer.from(capture.symbols).toString('base64');
      else entry.incomplete = capture.reason;
    }
    const shared = await this.kernels.values.share(call, kernel);
    if (shared) entry.shared = shared;
    if (hasEffects(cell) && entry.symbols !== undefined) traces.observed.set(cell.id, digest(entry.symbols));
    if (parts !== undefined) await this.keep(call, parts, entry);
  }

  private async keep({ cell, assignment }: CellCall, parts: KeyParts, entry: CacheEntry): Promise<void> {
    await this.cache.put(keyOf(parts), entry);
    await this.cache.noteParts(String(assignment.source.file), cell.id, parts);
  }

  private write(call: CellCall, outputs: CellOutput[], cached: boolean): void {
    const { assignment, cell } = call;
    const file = assignment.source.file;
    const now = { cell: cell.id, timestamp: new Date().toISOString(), outputs };
    const line: SidecarLine = cached ? { ...now, cached: true } : now;
    for (const output of outputs) if (output.output_type === 'error') logError(call, output);
    if (this.options.carriesOutputs) this.carried.set(call, line);
    if (this.options.carriesOutputs || typeof file !== 'string') return;
    let sidecar = this.sidecars.get(assignment.execution_id);
    if (sidecar === undefined) {
      sidecar = new Sidecar(file, new Set(cellsOf(assignment.plan).keys()));
      this.sidecars.set(assignment.execution_id, sidecar);
    }
    sidecar.write(line, filesOf(cell.type));
  }
}

/** Undefined if no kernel is needed at once. */
function firstToRun(plan: Plan): CellTask | undefined {
  const idle = new Set(plan.steps.filter((step) => step.idle).map(({ name }) => name));
  const cells = [...cellsOf(plan).values()].filter(({ id }) => !idle.has(id));
  const first = cells.find((cell) => !traitsOf(cell).isValue);
  return first && traitsOf(first).isCode ? first : undefined;
}

/** Whoever reads the log of a run finds there why and where it failed. */
function logError(call: CellCall, { ename, evalue, traceback }: CellError): void {
  const lines = traceback.length > 0 ? traceback : [`${ename}: ${evalue}`];
  call.log('stderr', `${lines.join('\n')}\n`);
}

/** A failed cell may have set something first. */
function leftBy(kernel: Kernel): Promise<Left> {
  return kernel.capture().then(
    ({ names }) => names,
    () => undefined,
  );
}
