/**
 * Runs cells in the page by the rules of the engine: the order of the plan, the dependencies of each cell, data by id,
 * values of other languages by name, and what a failure skips.
 *
 * Invariant: a cell that runs sees what it would see in a run of the whole notebook. So if one of the cells to run has
 * run before in a session, that session starts anew, and the dependencies run again without showing their outputs.
 */
import {
  asks,
  type CellTask,
  commonNames,
  type Json,
  type JsonObject,
  namesAsked,
  traitsOf,
} from '@woof/net';
import type { CellError, CellOutput } from '../messages.ts';
import type { PageCell } from '../page-model.ts';
import { type End, LiveSession, problem, type SessionSource } from './live-session.ts';

export type CellStatus = 'waiting' | 'running' | 'succeeded' | 'failed' | 'skipped' | 'stopped';

export interface LiveView {
  status(cell: string, status: CellStatus, detail?: string): void;
  /** The outputs so far. */
  outputs(cell: string, outputs: readonly CellOutput[]): void;
  /** Draws the charts of a cell, with rows by name. */
  draw(cell: string, rowsFor: (name: string) => Promise<Json | undefined>): Promise<void>;
}

export class LiveNotebook {
  readonly #cells: ReadonlyMap<string, PageCell>;
  readonly #sessions = new Map<string, LiveSession>();
  /** The values that cells passed to cells of other languages since they last ran. */
  readonly #given = new Map<string, JsonObject>();
  readonly #failed = new Set<string>();
  #isStopped = false;
  #areParametersNew = false;
  #running: LiveSession | undefined;
  /** Resolves when the person stops this run. */
  #stopped: Promise<void> = Promise.resolve();
  #tellStopped = () => {};

  constructor(
    cells: readonly PageCell[],
    private readonly sources: Record<string, SessionSource>,
    private readonly view: LiveView,
    private parameters: JsonObject,
  ) {
    this.#cells = new Map(cells.map((cell) => [cell.id, cell]));
  }

  /** Starts the workers, so that the first run need not wait for them. */
  async start(): Promise<void> {
    const languages = new Set([...this.#cells.values()].filter(isRun).map(({ session }) => session));
    await Promise.all([...languages].map((language) => this.#session(language).start()));
  }

  /** Cells that ran with other parameters must not be reused. */
  setParameters(parameters: JsonObject): void {
    this.parameters = parameters;
    this.#areParametersNew = true;
  }

  /** Runs these cells in this order; `goOn` is called after each one and returns whether to run the next. */
  async run(cells: readonly PageCell[], goOn: (done: string) => boolean): Promise<void> {
    this.#isStopped = false;
    this.#stopped = new Promise((resolve) => {
      this.#tellStopped = resolve;
    });
    const live = cells.filter(({ stored }) => stored === undefined);
    for (const cell of live) if (!traitsOf(cell).isValue) this.view.status(cell.id, 'waiting');
    await this.#begin(live);
    for (const [at, cell] of live.entries()) {
      if (this.#isStopped) return this.#leave(live.slice(at));
      await this.#runCell(cell);
      if (!goOn(cell.id)) return;
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#tellStopped();
    this.#running?.stop();
  }

  #leave(cells: readonly PageCell[]): void {
    for (const cell of cells) if (!traitsOf(cell).isValue) this.view.status(cell.id, 'stopped');
  }

  async #begin(cells: readonly PageCell[]): Promise<void> {
    for (const { id } of cells) {
      this.#failed.delete(id);
      this.#given.delete(id);
    }
    const changed = new Set(cells.map(({ id }) => id));
    for (const session of this.#sessions.values()) {
      const known = [...session.touched, ...session.bound];
      // If a worker does not start, the first cell that needs it reports that.
      if (this.#areParametersNew || known.some((id) => changed.has(id)))
        await session.reset(this.parameters).catch(() => {});
    }
    if (this.#areParametersNew) this.#given.clear();
    this.#areParametersNew = false;
  }

  async #runCell(cell: PageCell): Promise<void> {
    if (traitsOf(cell).isValue) return;
    const broken = cell.needs.find((need) => this.#failed.has(need));
    if (broken !== undefined) {
      this.#failed.add(cell.id);
      this.view.status(cell.id, 'skipped', `because ${broken} failed`);
      return;
    }
    this.view.status(cell.id, 'running');
    const began = performance.now();
    const error = traitsOf(cell).isChart ? await this.#draw(cell) : await this.#execute(cell);
    if (error !== undefined) this.#failed.add(cell.id);
    const status = error === undefined ? 'succeeded' : error.ename === 'Stopped' ? 'stopped' : 'failed';
    this.view.status(cell.id, status, timeText(performance.now() - began));
  }

  async #execute(cell: PageCell): Promise<CellError | undefined> {
    const outputs: CellOutput[] = [];
    const { error } = await this.#apply(cell, (output) => {
      collect(outputs, output);
      this.view.outputs(cell.id, outputs);
    });
    this.view.outputs(cell.id, error && error.ename !== 'Stopped' ? [...outputs, error] : outputs);
    return error;
  }

  async #draw(cell: PageCell): Promise<CellError | undefined> {
    try {
      await this.view.draw(cell.id, (name) => this.#rowsFor(cell, name));
      return undefined;
    } catch (error) {
      const failed = problem('ChartError', (error as Error).message);
      this.view.outputs(cell.id, [failed]);
      return failed;
    }
  }

  /** Runs a cell in its session, after all its dependencies. */
  async #apply(cell: PageCell, onOutput: (output: CellOutput) => void): Promise<End> {
    const session = this.#session(cell.session);
    try {
      // Python takes a while to start; a person who has stopped the run should not wait for that.
      await Promise.race([session.start(), this.#stopped]);
      if (this.#isStopped) return { error: STOPPED };
      if (!session.isUsed) await session.reset(this.parameters);
      const missing = await this.#prepare(cell, session);
      if (missing !== undefined) return { error: missing };
      if (this.#isStopped) return { error: STOPPED };
      const end = await this.#timed(cell, session, onOutput);
      if (end.error !== undefined) return end;
      session.applied.add(cell.id);
      await this.#share(cell, session);
      return end;
    } catch (error) {
      return { error: problem('KernelError', String((error as Error).message ?? error)) };
    }
  }

  async #timed(cell: PageCell, session: LiveSession, onOutput: (output: CellOutput) => void): Promise<End> {
    const { timeoutSec } = cell;
    const late = problem('Timeout', `the cell ran longer than its timeout of ${timeoutSec} s`);
    const timer =
      timeoutSec === undefined ? undefined : setTimeout(() => session.stop(late), timeoutSec * 1000);
    this.#running = session;
    const end = await session.run(cell.id, cell.body, onOutput);
    this.#running = undefined;
    clearTimeout(timer);
    return end;
  }

  async #prepare(cell: PageCell, session: LiveSession): Promise<CellError | undefined> {
    for (const id of cell.needs) {
      const need = this.#cells.get(id);
      if (need === undefined) continue;
      if (traitsOf(need).isValue) await this.#bind(need, session);
      else if (isRun(need) && need.session === cell.session && !session.applied.has(id)) {
        const { error } = await this.#apply(need, () => {});
        if (error !== undefined)
          return problem(error.ename, `cell "${id}", on which this cell depends, failed: ${error.evalue}`);
      }
    }
    return this.#give(cell, session);
  }

  async #bind(data: PageCell, session: LiveSession): Promise<void> {
    if (session.bound.has(data.id)) return;
    await session.bind(data.id, data.value ?? null);
    session.bound.add(data.id);
  }

  /** Passes to the session what the cell requests from cells of other languages. */
  async #give(cell: PageCell, session: LiveSession): Promise<CellError | undefined> {
    for (const id of cell.needs) {
      const giver = this.#cells.get(id);
      if (giver === undefined || !asks(asTask(cell), asTask(giver))) continue;
      if (!this.#given.has(id)) {
        const { error } = await this.#apply(giver, () => {});
        if (error !== undefined)
          return problem(error.ename, `cell "${id}", on which this cell depends, failed: ${error.evalue}`);
      }
      const names = new Set(commonNames(asTask(cell), asTask(giver)));
      const all = Object.entries(this.#given.get(id) ?? {});
      await session.bind(id, Object.fromEntries(all.filter(([name]) => names.has(name))), true);
    }
    return undefined;
  }

  async #share(giver: PageCell, session: LiveSession): Promise<void> {
    const values: JsonObject = {};
    for (const name of namesAsked(asTask(giver), this.#cells as ReadonlyMap<string, CellTask>)) {
      const value = await session.read(name);
      if (value !== undefined) values[name] = value;
    }
    this.#given.set(giver.id, values);
  }

  /** The rows that a chart requests by name: a data cell, or a variable of a dependency, the latest first. */
  async #rowsFor(cell: PageCell, name: string): Promise<Json | undefined> {
    const data = cell.needs.includes(name) ? this.#cells.get(name) : undefined;
    if (data && traitsOf(data).isValue) return data.value;
    const ancestors = cell.needs.flatMap((id) => this.#cells.get(id) ?? []).filter(isRun);
    for (const language of new Set(ancestors.toReversed().map(({ session }) => session))) {
      for (const each of ancestors.filter(({ session }) => session === language)) {
        if (!this.#session(language).applied.has(each.id)) await this.#apply(each, () => {});
      }
      const value = await this.#session(language).read(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #session(language: string): LiveSession {
    let session = this.#sessions.get(language);
    if (session === undefined) {
      session = new LiveSession(this.sources[language]!);
      this.#sessions.set(language, session);
    }
    return session;
  }
}

const STOPPED = problem('Stopped', 'the cell was stopped');

const isRun = (cell: PageCell) => traitsOf(cell).isCode && cell.stored === undefined;

/** The sharing rules read only fields that both types have. */
const asTask = (cell: PageCell) => cell as unknown as CellTask;

function collect(outputs: CellOutput[], output: CellOutput): void {
  const last = outputs.at(-1);
  if (output.output_type === 'stream' && last?.output_type === 'stream' && last.name === output.name)
    outputs[outputs.length - 1] = { ...last, text: last.text + output.text };
  else outputs.push(output);
}

const timeText = (ms: number) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
