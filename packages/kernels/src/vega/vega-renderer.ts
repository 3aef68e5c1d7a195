/**
 * Draws a chart. It is bundled into a separate file and runs only in the sandbox; nothing else may import it.
 *
 * Invariants: it loads nothing (the loader refuses, and a refused load fails the chart). The same specification gives
 * the same picture.
 */
import * as vega from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { ChartAnswer, ChartQuestion } from './chart-answer.ts';

/** The type definitions omit these. */
const { randomLCG, setRandom } = vega as unknown as {
  randomLCG(seed: number): () => number;
  setRandom(random: () => number): void;
};

const MAX_MESSAGES = 20;

const MARKS = new Set([
  ...['arc', 'area', 'bar', 'boxplot', 'circle', 'errorband', 'errorbar', 'geoshape', 'image', 'line'],
  ...['point', 'rect', 'rule', 'square', 'text', 'tick', 'trail'],
]);

class RefusingLoader {
  readonly refused: string[] = [];

  load = (uri: string): Promise<never> => this.#refuse(uri);
  http = this.load;
  file = this.load;

  /** Pictures embedded in the specification need no loading. */
  sanitize = (uri: string): Promise<{ href: string }> =>
    /^data:image\/(png|jpeg|gif|webp);base64,/.test(uri) ? Promise.resolve({ href: uri }) : this.#refuse(uri);

  #refuse(uri: string): Promise<never> {
    this.refused.push(String(uri));
    return Promise.reject(new Error(`not loaded: ${uri}`));
  }
}

/** Collects warnings for the cell's output. Vega calls the functions without their object. */
function collectingLogger(warnings: string[], errors: string[]): vega.LoggerInterface {
  const logger = {
    level: (level?: number) => (level === undefined ? vega.Warn : logger),
    error: (...parts: unknown[]) => add(errors, parts),
    warn: (...parts: unknown[]) => add(warnings, parts),
    info: () => logger,
    debug: () => logger,
  } as vega.LoggerInterface;
  const add = (list: string[], parts: unknown[]) => {
    const text = textOf(parts);
    if (list.length < MAX_MESSAGES && !list.includes(text)) list.push(text);
    return logger;
  };
  return logger;
}

export async function render({ spec, kind }: ChartQuestion): Promise<ChartAnswer> {
  const loader = new RefusingLoader();
  const [warnings, errors]: string[][] = [[], []];
  try {
    setRandom(randomLCG(1));
    const logger = collectingLogger(warnings!, errors!);
    const own =
      kind === 'vega' ? (spec as vega.Spec) : compile(spec as unknown as TopLevelSpec, { logger }).spec;
    const view = new vega.View(vega.parse(own), { renderer: 'none', loader, logger });
    const svg = await view.toSVG();
    if (loader.refused.length === 0 && errors!.length === 0) return { svg, warnings: warnings! };
  } catch (error) {
    errors!.push(explain(error, { spec, kind }));
  }
  const [refused] = loader.refused;
  return refused === undefined ? failure('ChartError', errors![0]!) : refusal(refused);
}

/** Vega assumes that a specification is valid. If it is not, Vega fails on missing parts. */
function explain(error: unknown, { spec, kind }: ChartQuestion): string {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof TypeError)) return message;
  const mark = kind === 'vega-lite' ? unknownMark(spec) : undefined;
  if (mark !== undefined) return `unknown mark "${mark}"; expected one of ${[...MARKS].join(', ')}`;
  const name = kind === 'vega' ? 'Vega' : 'Vega-Lite';
  return `the specification is not valid ${name}: ${message}`;
}

function unknownMark(spec: unknown): string | undefined {
  const queue: unknown[] = [spec];
  for (const at of queue) {
    if (at === null || typeof at !== 'object') continue;
    const { mark, layer, concat, hconcat, vconcat, spec: inner } = at as Record<string, unknown>;
    const type: unknown =
      typeof mark === 'object' && mark !== null ? (mark as { type?: unknown }).type : mark;
    if (type !== undefined && !MARKS.has(String(type))) return String(type);
    for (const views of [layer, concat, hconcat, vconcat]) if (Array.isArray(views)) queue.push(...views);
    queue.push(inner);
  }
  return undefined;
}

function refusal(uri: string): ChartAnswer {
  return failure('PolicyError', `a chart cannot load data, and this one asks for ${uri.slice(0, 200)}`);
}

function failure(ename: string, evalue: string): ChartAnswer {
  return { error: { ename, evalue: evalue.slice(0, 2000) } };
}

function textOf(parts: unknown[]): string {
  return parts
    .map((part) => (part instanceof Error ? part.message : String(part)))
    .join(' ')
    .slice(0, 500);
}
