/**
 * The body of a viz cell: which data it refers to by name, and the specification with that data filled in.
 *
 * A name belongs to the chart if the specification itself provides its data. In Vega-Lite, `data` is an object with a
 * name. In Vega it is a list of sources, and a source that has only a name is waiting to be filled.
 */
import { encodeJson, isObject, type Json, type JsonObject } from './json.ts';

export interface Chart {
  spec: JsonObject;
  kind: 'vega' | 'vega-lite';
  /** Names that the notebook must provide. */
  wanted: string[];
  /** Vega sources that the notebook may fill, but that can also come from a transform or an event. */
  optional: string[];
}

export class ChartProblem extends Error {
  constructor(
    readonly ename: 'ChartError' | 'PolicyError',
    message: string,
  ) {
    super(message);
  }
}

export function parseChart(body: string): Chart {
  const spec = parseBody(body);
  const kind = kindOf(spec);
  const sources = sourcesOf(spec);
  const far = sources.find(({ url }) => url !== undefined);
  if (far) throw new ChartProblem('PolicyError', urlRefusal(far.url));
  const own = new Set([
    ...Object.keys(isObject(spec.datasets) ? spec.datasets : {}),
    ...sources.filter(hasOwnData).map(({ name }) => String(name)),
  ]);
  const open = sources.filter((source) => typeof source.name === 'string' && !own.has(source.name));
  const names = (optional: boolean) => [
    ...new Set(
      open.filter((source) => isOptional(source, kind) === optional).map(({ name }) => String(name)),
    ),
  ];
  return { spec, kind, wanted: names(false), optional: names(true) };
}

/** The specification with the notebook's data filled in. */
export function withData({ spec, kind }: Chart, data: ReadonlyMap<string, Json>): JsonObject {
  if (data.size === 0) return spec;
  if (kind === 'vega-lite') {
    const datasets = isObject(spec.datasets) ? spec.datasets : {};
    return { ...spec, datasets: { ...datasets, ...Object.fromEntries(data) } };
  }
  const filled = structuredClone(spec);
  for (const source of sourcesOf(filled)) {
    const values = data.get(String(source.name));
    if (values !== undefined && !hasOwnData(source)) source.values = values;
  }
  return filled;
}

export function mimeOf(kind: Chart['kind']): string {
  return kind === 'vega' ? 'application/vnd.vega.v5+json' : 'application/vnd.vegalite.v5+json';
}

function parseBody(body: string): JsonObject {
  let spec: unknown;
  try {
    spec = JSON.parse(body);
  } catch (error) {
    throw new ChartProblem('ChartError', `the specification is not JSON: ${(error as Error).message}`);
  }
  if (!isObject(spec)) throw new ChartProblem('ChartError', 'the specification must be a JSON object');
  return spec;
}

function kindOf(spec: JsonObject): Chart['kind'] {
  const schema = typeof spec.$schema === 'string' ? spec.$schema : '';
  if (/\/vega-lite\//.test(schema)) return 'vega-lite';
  return /\/vega\//.test(schema) || Array.isArray(spec.marks) || Array.isArray(spec.data)
    ? 'vega'
    : 'vega-lite';
}

/** Everything below these keys is data, whatever it looks like. */
const NO_VIEWS = new Set(['values', 'datasets', 'usermeta']);

/**
 * All values of `data` in the specification, except inside data itself. It is a loop because the nesting may be deeper
 * than the stack.
 */
function sourcesOf(spec: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  const queue: Json[] = [spec];
  for (const at of queue) {
    if (Array.isArray(at)) for (const item of at) queue.push(item);
    if (!isObject(at)) continue;
    for (const [key, value] of Object.entries(at)) {
      if (key === 'data') for (const source of [value].flat()) if (isObject(source)) found.push(source);
      if (!NO_VIEWS.has(key)) queue.push(value);
    }
  }
  return found;
}

const OWN = ['values', 'url', 'source', 'sequence', 'sphere', 'graticule'];

function hasOwnData(source: JsonObject): boolean {
  return OWN.some((key) => source[key] !== undefined);
}

function isOptional(source: JsonObject, kind: Chart['kind']): boolean {
  return kind === 'vega' && (source.transform !== undefined || source.on !== undefined);
}

function urlRefusal(url: Json | undefined): string {
  const what = String(typeof url === 'string' ? url : encodeJson(url)).slice(0, 200);
  return `a chart cannot load data, and this one refers to ${what}; load the data in a code cell, and refer to it by name`;
}
