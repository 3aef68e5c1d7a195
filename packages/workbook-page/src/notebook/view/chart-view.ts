/** Charts: the stored picture stays until the Vega runtime, which is packed in the page, has drawn the chart. */
import { type Json, type JsonObject, withPlainFloats } from '@woof/net';
import { type ChartModel, PLACES } from '../page-model.ts';
import { open } from '../payload.ts';
import { currentTheme } from './theme-switch.ts';

interface ChartRuntime {
  /** Draws into the element; returns a function that ends the drawing. */
  draw(place: HTMLElement, spec: JsonObject, theme: 'light' | 'dark'): Promise<() => void>;
}

let loading: Promise<ChartRuntime> | undefined;

async function load(): Promise<ChartRuntime> {
  const packed = document.getElementById(PLACES.payload('chart'))!.textContent;
  const url = URL.createObjectURL(new Blob([await open(packed)], { type: 'text/javascript' }));
  const script = document.createElement('script');
  script.src = url;
  await new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', () => reject(new Error('the browser could not load the chart library')));
    document.head.append(script);
  });
  URL.revokeObjectURL(url);
  return (globalThis as unknown as { woofChart: ChartRuntime }).woofChart;
}

export class ChartView {
  #end: (() => void) | undefined;
  #shown: { place: HTMLElement; spec: JsonObject } | undefined;

  constructor(readonly model: ChartModel) {}

  /** In place of the stored picture, whose height is kept so that nothing moves. */
  async takeOver(place: HTMLElement): Promise<void> {
    const { height } = place.getBoundingClientRect();
    if (height > 0) place.style.height = `${height}px`;
    await this.#draw(place, this.model.spec);
  }

  async drawRows(place: HTMLElement, rows: ReadonlyMap<string, Json>): Promise<void> {
    await this.#draw(place, withRows(this.model.spec, rows));
    place.style.height = '';
  }

  /** In the current colours. */
  async redraw(): Promise<void> {
    if (this.#shown) await this.#draw(this.#shown.place, this.#shown.spec);
  }

  async #draw(place: HTMLElement, spec: JsonObject): Promise<void> {
    loading ??= load();
    const { draw } = await loading;
    const end = await draw(place, withPlainFloats(spec) as JsonObject, currentTheme());
    this.#end?.();
    this.#end = end;
    this.#shown = { place, spec };
  }
}

function withRows(spec: JsonObject, rows: ReadonlyMap<string, Json>): JsonObject {
  const sources = (Array.isArray(spec.data) ? spec.data : []) as JsonObject[];
  const filled = sources.map((source) => {
    const values = rows.get(String(source.name));
    return values === undefined ? source : { ...source, values };
  });
  return { ...spec, data: filled };
}
