/** Charts for the page: Vega-Lite is compiled here, so that the page contains only the Vega runtime. */
import {
  type Chart,
  encodeJson,
  isObject,
  type Json,
  type JsonObject,
  parseChart,
  withData,
  withPlainFloats,
} from '@woof/net';
import { type CellOutput, CHART_TYPES, type ChartModel } from '@woof/workbook-page';
import { compile, type TopLevelSpec } from 'vega-lite';

export interface ChartSource {
  /** The text of a viz cell. */
  body?: string;
  outputs: readonly CellOutput[];
  /** Values of data cells, by id. */
  data: ReadonlyMap<string, Json>;
}

/** Leaves out a specification that Vega-Lite does not accept: its picture is shown instead. */
export function chartsOf({ body, outputs, data }: ChartSource): ChartModel[] {
  const stored = outputs.flatMap(specOf);
  if (body === undefined) return stored.flatMap((spec) => modelOf(spec, []));
  const chart = parsed(body);
  if (chart === undefined) return [];
  const wanted = [...chart.wanted, ...chart.optional];
  const filled =
    stored[0] ??
    withData(chart, new Map(wanted.flatMap((name) => (data.has(name) ? [[name, data.get(name)!]] : []))));
  return modelOf(filled, wanted, chart.kind);
}

function parsed(body: string): Chart | undefined {
  try {
    return parseChart(body);
  } catch {
    return undefined;
  }
}

function specOf(output: CellOutput): JsonObject[] {
  if (!('data' in output)) return [];
  const found = Object.entries(output.data).find(([type]) => CHART_TYPES.test(type));
  return found !== undefined && isObject(found[1]) ? [found[1]] : [];
}

function modelOf(given: JsonObject, wanted: string[], kind = parsed(encodeJson(given))?.kind): ChartModel[] {
  try {
    const spec = withPlainFloats(given) as JsonObject;
    const own = kind === 'vega' ? spec : compiled(spec);
    return [{ spec: own, wanted, isFilled: wanted.every((name) => hasRows(own, name)) }];
  } catch {
    return [];
  }
}

const QUIET = {
  level: () => QUIET,
  error: () => QUIET,
  warn: () => QUIET,
  info: () => QUIET,
  debug: () => QUIET,
};

function compiled(spec: JsonObject): JsonObject {
  const options = { logger: QUIET } as unknown as Parameters<typeof compile>[1];
  return compile(spec as unknown as TopLevelSpec, options).spec as unknown as JsonObject;
}

function hasRows(spec: JsonObject, name: string): boolean {
  const sources = Array.isArray(spec.data) ? spec.data : [];
  return sources.some((source) => isObject(source) && source.name === name && source.values !== undefined);
}
