/**
 * The chart runtime, a separate script that a page loads when it has a chart to draw. Expressions are interpreted, not
 * compiled, so there is no `eval`; nothing is loaded from anywhere.
 */
import type { JsonObject } from '@woof/net';
import * as vega from 'vega';
import { expressionInterpreter } from 'vega-interpreter';

const refuse = (uri: string) =>
  Promise.reject(new Error(`a chart cannot load data, and this one asks for ${uri.slice(0, 200)}`));
const loader = {
  ...{ load: refuse, http: refuse, file: refuse },
  sanitize: (uri: string) =>
    /^data:image\/(png|jpeg|gif|webp);base64,/.test(uri) ? Promise.resolve({ href: uri }) : refuse(uri),
};

const COLOURS = {
  light: { text: '#4a453f', line: '#e6e1d8' },
  dark: { text: '#cfc9bf', line: '#3a3732' },
};

function configFor(theme: 'light' | 'dark'): JsonObject {
  const { text, line } = COLOURS[theme];
  const words = { labelColor: text, titleColor: text };
  return {
    background: 'transparent',
    font: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif',
    axis: { ...words, domainColor: line, gridColor: line, tickColor: line },
    legend: words,
    title: { color: text, subtitleColor: text },
    header: words,
    style: { 'guide-label': { fill: text }, 'guide-title': { fill: text }, cell: { stroke: 'transparent' } },
  };
}

/** Vega-Lite writes white if the author chose no background. */
const unpainted = ({ background, ...spec }: JsonObject): JsonObject =>
  background === undefined || background === 'white' ? spec : { ...spec, background };

async function draw(place: HTMLElement, spec: JsonObject, theme: 'light' | 'dark'): Promise<() => void> {
  const config = { ...configFor(theme), ...(spec.config as JsonObject | undefined) };
  const parsed = vega.parse(unpainted(spec) as vega.Spec, config as vega.Config, { ast: true } as never);
  const canvas = document.createElement('div');
  const view = new vega.View(parsed, {
    ...{ renderer: 'svg', container: canvas, hover: true, loader, expr: expressionInterpreter },
    logLevel: vega.Error,
  } as unknown as vega.ViewOptions);
  await view.runAsync();
  place.replaceChildren(canvas);
  return () => view.finalize();
}

(globalThis as unknown as { woofChart: unknown }).woofChart = { draw };
