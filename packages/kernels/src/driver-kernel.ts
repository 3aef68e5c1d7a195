/**
 * A kernel on top of a driver's process.
 *
 * Owns: mapping requests to the contract of `kernel.ts`, timeouts, one cell at a time. Does not own: the protocol.
 */
import { isObject, type Json, type JsonObject } from '@woof/net';
import type { SandboxPolicy } from '@woof/sandbox';
import { cellDenials } from './cell-denials.ts';
import {
  abortedError,
  deathError,
  memoryRefusal,
  policyError,
  timeoutError,
  wasKilled,
} from './cell-failure.ts';
import { CellOutputs } from './cell-outputs.ts';
import { DeniedOutput } from './denied-output.ts';
import type { Driver, RequestBody } from './driver.ts';
import type { Death, DriverProcess, End } from './driver-process.ts';
import type {
  Capture,
  CellEnd,
  CellError,
  CellRun,
  CellSink,
  ChangedNames,
  Kernel,
  KernelSpec,
  Shared,
  Tables,
} from './kernel.ts';
import { StopWatch } from './stop-watch.ts';
import { isTable, spellTables } from './tables.ts';

export interface Launched {
  interpreter: string;
  notice?: string;
}

/** How long a cell may take to end after it was interrupted. */
const INTERRUPT_MS = 2000;

export class DriverKernel implements Kernel {
  spec: KernelSpec;
  readonly #driver: Driver;
  readonly #process: DriverProcess;
  #turn: Promise<unknown> = Promise.resolve();
  #tracked = false;

  readonly interpreter: string;
  readonly notice: string | undefined;

  constructor(spec: KernelSpec, driver: Driver, process: DriverProcess, launch: Launched) {
    this.spec = spec;
    this.interpreter = launch.interpreter;
    this.notice = launch.notice;
    this.#driver = driver;
    this.#process = process;
  }

  get alive(): boolean {
    return this.#process.alive;
  }

  get user(): Kernel['user'] {
    return this.#process.user;
  }

  adapt({ policy, memoryMb = Infinity }: KernelSpec): boolean {
    if (!this.#driver.checksPolicy && !isSamePolicy(policy, this.spec.policy)) return false;
    if (memoryMb === (this.spec.memoryMb ?? Infinity)) return true;
    const changed = this.#process.changeMemory(memoryMb);
    if (changed !== 'done') throw new Error(memoryRefusal(memoryMb, changed));
    this.spec = { ...this.spec, memoryMb };
    return true;
  }

  async save(): Promise<string | undefined> {
    if (!this.#driver.moves) return undefined;
    const { value } = await this.#ask({ do: 'save' });
    if (typeof value !== 'string') throw new Error(`the ${this.spec.language} kernel returned no state`);
    return value;
  }

  async load(state: string): Promise<void> {
    await this.#ask({ do: 'load', state });
  }

  run(cell: CellRun, sink: CellSink): Promise<CellEnd> {
    return this.#inTurn(() => this.#run(cell, sink));
  }

  async bind(id: string, value: Json, tables?: Tables): Promise<void> {
    const given = spellTables(this.#driver.tables, value, tables ?? {});
    await this.#ask({ do: 'bind', id, gentle: tables !== undefined, ...given });
  }

  async read(name: string): Promise<Json | undefined> {
    return (await this.#ask({ do: 'read', name, tables: false })).value;
  }

  async share(name: string): Promise<Shared | undefined> {
    const { value, table } = await this.#ask({ do: 'read', name, tables: true });
    if (value === undefined) return undefined;
    return table === true && isTable(value) ? { table: value } : { value };
  }

  async capture(): Promise<Capture> {
    if (!this.#driver.captures)
      return { complete: false, reason: `Woof does not capture the state of ${this.spec.language}` };
    if (!this.#tracked) return { complete: false, reason: 'the last cell ran without tracking' };
    const { value } = await this.#ask({ do: 'capture' });
    if (!isObject(value)) throw new Error(`the ${this.spec.language} kernel returned no capture`);
    const names = changedNames(value);
    if (value.complete !== true) return { complete: false, reason: String(value.reason), ...names };
    const symbols = new Uint8Array(Buffer.from(String(value.symbols), 'base64'));
    return { complete: true, symbols, ...names };
  }

  async restore(symbols: Uint8Array): Promise<void> {
    await this.#ask({ do: 'restore', symbols: Buffer.from(symbols).toString('base64') });
  }

  async close(): Promise<void> {
    this.#process.kill();
    await this.#process.ended;
  }

  async #run(cell: CellRun, sink: CellSink): Promise<CellEnd> {
    const started = performance.now();
    const outputs = new CellOutputs(sink);
    const refusal = this.#driver.refuse?.(cell.declared, this.spec.denials ?? cellDenials());
    if (refusal !== undefined) return refused(policyError(refusal), sink);
    const watch = new StopWatch(cell, {
      interrupt: this.#driver.interrupts ? () => this.#process.interrupt() : undefined,
      kill: () => this.#process.kill(),
      graceMs: INTERRUPT_MS,
    });
    const said = this.#deniedOutput(cell);
    const end = await this.#process.request(this.#request(cell), {
      bytes(name, bytes) {
        said?.see(name, bytes);
        outputs.bytes(name, bytes);
      },
      output: (output) => outputs.display(output),
    });
    watch.stop();
    this.#tracked = cell.track ?? false;
    const how = end ? ending(end, watch, cell) : death(await this.#process.ended, watch, cell, this.spec);
    explain(how, said, outputs);
    outputs.end();
    if (how.error) outputs.error(how.error);
    const { droppedBytes } = outputs;
    return { ...how, durationMs: performance.now() - started, droppedBytes };
  }

  /** If the driver itself checks the policy, only the messages of programs that the cell starts need an explanation. */
  #deniedOutput({ declared }: CellRun): DeniedOutput | undefined {
    const { policy, denials = cellDenials() } = this.spec;
    if (!this.#driver.checksPolicy) return new DeniedOutput(policy, denials);
    return declared.allow_shell ? new DeniedOutput(declared, denials) : undefined;
  }

  #request({ id, code, declared, track = false, replaced = [] }: CellRun): RequestBody {
    const { memoryMb = Infinity } = this.spec;
    const limit = memoryMb === Infinity ? null : memoryMb;
    return { do: 'run', cell: id, code, declared, track, replaced, memoryMb: limit };
  }

  async #ask(body: RequestBody): Promise<End> {
    const end = await this.#inTurn(() => this.#process.request(body));
    if (!end) throw new Error(deathError(await this.#process.ended, this.spec).evalue);
    if (end.error) throw new Error(`${end.error.ename}: ${end.error.evalue}`);
    return end;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }
}

function changedNames({ names, imports, quiet }: JsonObject): ChangedNames {
  if (!Array.isArray(names)) return {};
  const origins = isObject(imports) ? Object.entries(imports) : [];
  return {
    names: names.map(String),
    imports: Object.fromEntries(origins.map(([name, origin]) => [name, String(origin)])),
    quiet: Array.isArray(quiet) ? quiet.map(String) : [],
  };
}

function refused(error: CellError, sink: CellSink): CellEnd {
  sink.output(error);
  return { status: 'error', error, transient: false, durationMs: 0, droppedBytes: 0 };
}

function isSamePolicy(a: SandboxPolicy, b: SandboxPolicy): boolean {
  return (
    a.allow_files === b.allow_files && a.allow_network === b.allow_network && a.allow_shell === b.allow_shell
  );
}

/** If only the operating system refuses, nothing has named the policy yet. */
function explain(how: Ending, said: DeniedOutput | undefined, outputs: CellOutputs): void {
  if (how.error === undefined) {
    const denial = said?.denialIgnored();
    if (denial !== undefined) outputs.bytes('stderr', Buffer.from(`woof: ${denial}\n`));
  } else if (how.status === 'error' && how.error.ename !== 'PolicyError') {
    const denial = said?.denial(`${how.error.evalue}\n${how.error.traceback.join('\n')}`);
    if (denial !== undefined) how.error = { ...how.error, evalue: `${how.error.evalue}; ${denial}` };
  }
}

type Ending = Pick<CellEnd, 'status' | 'transient'> & { error?: CellError };

function ending(end: End, watch: StopWatch, cell: CellRun): Ending {
  const error = end.error;
  if (error && watch.timedOut) {
    return { status: 'timeout', transient: false, error: timeoutError(cell, error.traceback) };
  }
  if (error) return { status: 'error', transient: end.transient === true, error };
  return { status: 'ok', transient: false };
}

function death(death: Death, watch: StopWatch, cell: CellRun, spec: KernelSpec): Ending {
  if (watch.timedOut) return { status: 'timeout', transient: false, error: timeoutError(cell, []) };
  if (watch.aborted) return { status: 'died', transient: false, error: abortedError(cell) };
  return { status: 'died', transient: wasKilled(death), error: deathError(death, spec) };
}
