/**
 * Makes a built notebook interactive. Stored outputs are already painted when it starts; it adds switches, interactive
 * charts and, if the page was built with them, cells that run.
 */
import { decodeFinite, decodeJson, isObject, type Json, type JsonObject, traitsOf } from '@woof/net';
import { readersOf, withDependents } from './live/affected-cells.ts';
import { LiveNotebook } from './live/live-notebook.ts';
import type { SessionSource } from './live/live-session.ts';
import { copyInputs, type Inputs, staleOutputs } from './live/stale-outputs.ts';
import { unpackCells } from './packed-cells.ts';
import { type PageCell, type PageModel, PLACES, PYTHON_PARTS } from './page-model.ts';
import { open } from './payload.ts';
import { CellView } from './view/cell-view.ts';
import { ChartView } from './view/chart-view.ts';
import { setUpCodeSwitch } from './view/code-switch.ts';
import { setUpParameters } from './view/parameter-controls.ts';
import { setUpThemeSwitch } from './view/theme-switch.ts';

const byId = <Kind extends HTMLElement>(id: string) => document.getElementById(id) as Kind | null;
const textOf = (name: string) => byId(PLACES.payload(name))!.textContent;

/** The parts of Python are at the very end of the page. */
const isWhole = new Promise<void>((resolve) => {
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => resolve());
  else resolve();
});

const scriptOf = (name: string) => async () => new TextDecoder().decode(await open(textOf(name)));
const SOURCES: Record<string, SessionSource> = {
  javascript: { script: scriptOf('javascript'), resets: false },
  python: {
    script: () => isWhole.then(scriptOf('python')),
    payload: () => Object.fromEntries(PYTHON_PARTS.map((part) => [part, textOf(`python-${part}`)])),
    resets: true,
  },
};

const NAMES: Record<string, string> = { javascript: 'JavaScript', python: 'Python' };

class NotebookPage {
  readonly #views: Map<string, CellView>;
  readonly #charts: Map<string, ChartView[]>;
  readonly #live: LiveNotebook;
  readonly #cells: PageCell[];
  readonly #wanted = new Set<string>();
  /** The inputs of the stored outputs. */
  readonly #builtWith: Inputs;
  #parameters: JsonObject;
  #isBusy = false;

  constructor(private readonly model: PageModel) {
    this.#cells = unpackCells(model.cells);
    this.#parameters = model.parameters;
    this.#builtWith = copyInputs({ cells: this.#cells, parameters: model.parameters });
    const events = {
      edit: (id: string, code: string) => this.#edit(id, code),
      run: (id: string) => this.#want([id]),
    };
    this.#views = new Map(this.#cells.map((cell) => [cell.id, new CellView(cell, events)]));
    this.#charts = new Map(
      Object.entries(model.charts).map(([id, charts]) => [id, charts.map((chart) => new ChartView(chart))]),
    );
    this.#live = new LiveNotebook(
      this.#cells,
      SOURCES,
      {
        status: (id, status, detail) => this.#views.get(id)!.status(status, detail),
        outputs: (id, outputs) => this.#views.get(id)!.outputs(outputs),
        draw: (id, rowsFor) => this.#draw(id, rowsFor),
      },
      model.parameters,
    );
  }

  async takeOverCharts(): Promise<void> {
    for (const [id, charts] of this.#charts) {
      const places = this.#views.get(id)?.chartPlaces ?? [];
      // A chart that cannot be drawn keeps its picture.
      for (const [at, chart] of charts.entries())
        if (chart.model.isFilled && places[at]) await chart.takeOver(places[at]).catch(() => {});
    }
  }

  async redrawCharts(): Promise<void> {
    for (const chart of [...this.#charts.values()].flat()) await chart.redraw().catch(() => {});
  }

  async goLive(): Promise<void> {
    const languages = [...new Set(this.#liveCells.map(({ session }) => session))].filter(
      (name) => NAMES[name],
    );
    if (languages.length === 0) return;
    const form = byId<HTMLFormElement>(PLACES.parameters);
    if (form)
      setUpParameters(form, this.model.parameters, (name, values) => this.#setParameter(name, values));
    const runAll = byId<HTMLButtonElement>('run-all')!;
    runAll.addEventListener('click', () => this.#want(this.#liveCells.map(({ id }) => id)));
    byId('stop')!.addEventListener('click', () => this.#stop());
    runAll.hidden = false;
    const words = languages.map((name) => NAMES[name]).join(', ');
    this.#say('starting', `Starting ${words}`);
    try {
      await this.#live.start();
      // Unless cells have run, or were stopped, in the meantime.
      if (byId(PLACES.status)!.dataset.state === 'starting') this.#say('live', `Live: ${words}`);
    } catch (error) {
      this.#say('broken', `Cells cannot run here: ${(error as Error).message}`);
    }
  }

  get #liveCells(): PageCell[] {
    return this.#cells.filter(({ stored }) => stored === undefined);
  }

  #edit(id: string, code: string): void {
    const cell = this.#cells.find((each) => each.id === id)!;
    cell.body = code;
    if (!traitsOf(cell).isValue) return;
    // The page is built so that only values that are JSON can be edited.
    try {
      cell.value = decodeFinite(code);
      this.#want([id]);
      this.#views.get(id)!.status('succeeded');
    } catch (error) {
      this.#views.get(id)!.status('failed', `not JSON: ${(error as Error).message}`);
    }
  }

  #setParameter(name: string, values: JsonObject): void {
    this.#parameters = values;
    this.#live.setParameters(values);
    this.#want(readersOf(this.#cells, name));
  }

  /** Cells requested while others are running join those that are still to run. */
  #want(ids: readonly string[]): void {
    for (const id of ids) this.#wanted.add(id);
    if (!this.#isBusy && this.#wanted.size > 0) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    byId('stop')!.hidden = false;
    while (this.#wanted.size > 0) {
      const cells = withDependents(this.#cells, this.#wanted);
      this.#wanted.clear();
      const left = new Set(cells.map(({ id }) => id));
      this.#markStale();
      this.#say('running', 'Running');
      await this.#live.run(cells, (done) => {
        left.delete(done);
        return this.#wanted.size === 0;
      });
      // Something else is requested: the rest of these is still to run.
      if (this.#wanted.size > 0) for (const id of left) this.#wanted.add(id);
    }
    this.#isBusy = false;
    byId('stop')!.hidden = true;
    this.#say('live', this.#summary());
  }

  #markStale(): void {
    const stale = staleOutputs(this.#builtWith, { cells: this.#cells, parameters: this.#parameters });
    for (const [id, view] of this.#views) view.stale(stale.get(id));
  }

  #summary(): string {
    const count = (which: string) => document.querySelectorAll(`.cell[${which}]`).length;
    const failed = count('data-status=failed');
    if (failed > 0) return `${failed} ${failed === 1 ? 'cell' : 'cells'} failed`;
    if (count('data-status=stopped') > 0) return 'Stopped';
    const stale = count('data-stale');
    return stale === 0 ? 'Up to date' : `${stale} stored ${stale === 1 ? 'output' : 'outputs'} not updated`;
  }

  #stop(): void {
    this.#wanted.clear();
    this.#live.stop();
  }

  async #draw(id: string, rowsFor: (name: string) => Promise<Json | undefined>): Promise<void> {
    const view = this.#views.get(id)!;
    for (const [at, chart] of (this.#charts.get(id) ?? []).entries()) {
      const rows = new Map<string, Json>();
      for (const name of chart.model.wanted) {
        const value = await rowsFor(name);
        if (value === undefined || !(Array.isArray(value) || isObject(value)))
          throw new Error(`no data "${name}" in the cells that this chart depends on`);
        rows.set(name, value);
      }
      await chart.drawRows(view.chartPlaces[at] ?? view.makeChartPlace(), rows);
    }
  }

  #say(state: string, text: string): void {
    const place = byId(PLACES.status)!;
    place.dataset.state = state;
    place.textContent = text;
    document.documentElement.dataset.live = state;
  }
}

/** After the browser has painted the stored outputs. */
const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

async function main(): Promise<void> {
  setUpCodeSwitch(byId<HTMLButtonElement>('code-switch')!);
  const model = decodeJson<PageModel>(byId(PLACES.model)!.textContent);
  const page = new NotebookPage(model);
  setUpThemeSwitch(byId<HTMLButtonElement>('theme-switch')!, () => void page.redrawCharts());
  await painted();
  await Promise.all([page.goLive(), page.takeOverCharts()]);
}

void main();
