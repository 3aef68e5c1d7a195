/**
 * A viz cell: finds the data that its chart names, has the chart drawn, and turns it into outputs.
 *
 * Owns: what a name refers to, what the outputs of a chart are. Does not own: the kernels that it reads from (the cell
 * runner), the drawing (`kernels/src/vega`), the files (the sidecar).
 */
import { didYouMean } from '@woof/expr';
import type { CellError, CellOutput, ChartEnd } from '@woof/kernels';
import {
  type CellTask,
  type Chart,
  ChartProblem,
  encodeJson,
  isObject,
  type Json,
  type JsonObject,
  mimeOf,
  parseChart,
  traitsOf,
  withData,
} from '@woof/net';

export interface ChartData {
  /** All cells of the notebook, by id. */
  cells: ReadonlyMap<string, CellTask>;
  /** A variable from the kernels of the cells that this cell depends on. */
  read(name: string): Promise<Json | undefined>;
}

/** A specification with its data filled in. */
export interface FilledChart {
  chart: Chart;
  spec: JsonObject;
}

/** The limit for a specification as an output. A larger one omits the data, which the picture shows. */
const LONGEST_SPEC = 64 * 1024;

export async function fillChart(cell: CellTask, data: ChartData): Promise<FilledChart | CellError> {
  try {
    const chart = parseChart(cell.body);
    const found = new Map<string, Json>();
    for (const name of chart.wanted) found.set(name, await resolve(cell, name, data));
    for (const name of chart.optional) {
      const value = await lookUp(cell, name, data);
      if (isTable(value)) found.set(name, value);
    }
    return { chart, spec: withData(chart, found) };
  } catch (error) {
    const ename = error instanceof ChartProblem ? error.ename : 'ChartError';
    return { output_type: 'error', ename, evalue: (error as Error).message, traceback: [] };
  }
}

export function chartOutputs({ chart, spec }: FilledChart, end: ChartEnd): CellOutput[] {
  const outputs: CellOutput[] = end.warnings.map((text) => ({
    output_type: 'stream',
    name: 'stderr',
    text: `${text}\n`,
  }));
  if (end.error) return [...outputs, end.error];
  const small = encodeJson(spec).length <= LONGEST_SPEC;
  const data = { 'image/svg+xml': end.svg ?? '', [mimeOf(chart.kind)]: small ? spec : chart.spec };
  return [...outputs, { output_type: 'display_data', data, metadata: {} }];
}

async function resolve(cell: CellTask, name: string, data: ChartData): Promise<Json> {
  const value = await lookUp(cell, name, data);
  if (value === undefined) throw new ChartProblem('ChartError', unknownName(cell, name, data));
  if (isTable(value)) return value;
  const got = value === null ? 'null' : typeof value;
  throw new ChartProblem(
    'ChartError',
    `data "${name}" must be a table, a list or an object, but it is ${got}`,
  );
}

async function lookUp(cell: CellTask, name: string, data: ChartData): Promise<Json | undefined> {
  const known = cell.needs.includes(name) ? data.cells.get(name) : undefined;
  return known && traitsOf(known).isValue ? (known.value ?? null) : data.read(name);
}

function unknownName(cell: CellTask, name: string, { cells }: ChartData): string {
  const what = `no data "${name}": the cells that this chart depends on contain neither a data cell nor a table variable of that name`;
  const meant = cells.get(name);
  if (meant && traitsOf(meant).isValue)
    return `${what}; add the data cell to deps, or in linear order move it above the chart`;
  const hint = didYouMean(name, knownNames(cell, cells));
  return hint === undefined ? what : `${what}; ${hint}`;
}

const ASSIGNMENT = /^(?:const |let |var )?([A-Za-z_]\w*)\s*(?:=(?!=)|<-)/gm;

/** For hints: data cells, and names that code seems to assign. */
function knownNames(cell: CellTask, cells: ChartData['cells']): string[] {
  return cell.needs
    .flatMap((id) => cells.get(id) ?? [])
    .flatMap((each) =>
      traitsOf(each).isValue ? [each.id] : [...each.body.matchAll(ASSIGNMENT)].map((match) => match[1]!),
    );
}

function isTable(value: Json | undefined): value is Json[] | JsonObject {
  return Array.isArray(value) || isObject(value);
}
