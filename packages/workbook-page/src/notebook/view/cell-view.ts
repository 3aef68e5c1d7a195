/** One cell in the page: its button, its status, its editor, its outputs. */
import { traitsOf } from '@woof/net';
import { escapeHtml } from '../escape-html.ts';
import type { CellStatus } from '../live/live-notebook.ts';
import type { CellOutput } from '../messages.ts';
import { outputsHtml } from '../output-html.ts';
import { type PageCell, PLACES } from '../page-model.ts';
import { cleanInPage } from './clean-in-page.ts';
import { editCode } from './code-editor.ts';

export interface CellEvents {
  edit(cell: string, code: string): void;
  run(cell: string): void;
}

const WORDS: Record<CellStatus, string> = {
  waiting: 'waiting',
  running: 'running',
  succeeded: 'done',
  failed: 'failed',
  skipped: 'skipped',
  stopped: 'stopped',
};

export class CellView {
  readonly #section: HTMLElement;
  readonly #outputs: HTMLElement | null;
  readonly #state = document.createElement('span');
  readonly #stale = document.createElement('p');
  #frame = 0;

  constructor(
    readonly cell: PageCell,
    events: CellEvents,
  ) {
    this.#section = document.getElementById(PLACES.cell(cell.id))!;
    this.#outputs = document.getElementById(PLACES.outputs(cell.id));
    if (cell.stored === undefined) this.#addTools(events);
  }

  status(status: CellStatus, detail = ''): void {
    this.#section.dataset.status = status;
    this.#state.textContent = [WORDS[status], detail].filter(Boolean).join(' · ');
    this.#outputs?.setAttribute('aria-busy', String(status === 'running'));
  }

  /** Says which change the stored outputs do not reflect. A cell without visible outputs says nothing. */
  stale(change: string | undefined): void {
    const isStale = change !== undefined && this.#outputs?.querySelector('.output') != null;
    this.#section.toggleAttribute('data-stale', isStale);
    if (!isStale) {
      this.#stale.remove();
      return;
    }
    this.#stale.className = 'note stale';
    this.#stale.textContent = `Not updated: this output is stored and does not follow the change of ${change}.`;
    this.#outputs!.before(this.#stale);
  }

  /** At most once per frame: a cell may print faster than anybody can read. */
  outputs(outputs: readonly CellOutput[]): void {
    const shown = [...outputs];
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => {
      if (this.#outputs)
        this.#outputs.innerHTML = outputsHtml(shown, { clean: cleanInPage, markdown: asText });
    });
  }

  get chartPlaces(): HTMLElement[] {
    return [...(this.#outputs?.querySelectorAll<HTMLElement>('.chart') ?? [])];
  }

  /** A place for a chart if none was stored, or if there was an error. */
  makeChartPlace(): HTMLElement {
    cancelAnimationFrame(this.#frame);
    this.#outputs!.innerHTML = '<div class="output display"><div class="chart"></div></div>';
    return this.chartPlaces[0]!;
  }

  #addTools({ edit, run }: CellEvents): void {
    const { id, type, language } = this.cell;
    this.#outputs?.setAttribute('aria-live', 'polite');
    this.#state.className = 'state';
    this.#state.setAttribute('role', 'status');
    const tools = document.createElement('div');
    tools.className = 'tools';
    tools.append(this.#state, ...(traitsOf({ type }).isValue ? [] : [this.#runButton(() => run(id))]));
    this.#section.prepend(tools);
    const source = this.#section.querySelector<HTMLDetailsElement>('details.source');
    const pre = source?.querySelector<HTMLPreElement>('pre');
    if (!source || !pre || traitsOf({ type }).isChart) return;
    const events = { change: (code: string) => edit(id, code), run: () => run(id) };
    const begin = () => editCode(pre, language, `Code of ${id}`, events);
    if (source.open) begin();
    else source.addEventListener('toggle', begin, { once: true });
  }

  #runButton(run: () => void): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'run';
    button.textContent = 'Run';
    button.setAttribute('aria-label', `Run ${this.cell.id}`);
    button.addEventListener('click', run);
    return button;
  }
}

/** The page has no Markdown renderer: Markdown that a cell makes in the page is shown as text. */
const asText = (text: string) => `<pre>${escapeHtml(text)}</pre>`;
