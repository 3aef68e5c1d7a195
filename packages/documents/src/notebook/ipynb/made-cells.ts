/**
 * Cells that exist only in the Jupyter notebook: the parameters, the bindings of `parameters` and `woof`, and the one
 * that loads R.
 *
 * The first has the tag `parameters`, so papermill inserts its values after it. The second picks up the names that both
 * set and removes them, so that cells find the same names as in Woof. An import takes all of them out again.
 */
import { decodeJson, isObject, type Json, type JsonObject } from '@woof/net';
import { isBindable } from '../python/bindable-name.ts';
import { sameJson } from '../same-json.ts';
import type { Ours } from './import-header.ts';
import { jsonOfLiteral, pythonValue } from './python-literal.ts';

/** Under `metadata.woof`, in place of tokens. */
const MARK = 'made';

export interface MadeCell {
  id: 'parameters' | 'setup' | 'load-r';
  tags: string[];
  source: string;
}

export function madeCells(parameters: JsonObject): MadeCell[] {
  const setup: MadeCell = { id: 'setup', tags: [], source: setupSource(parameters) };
  const source = parametersSource(parameters);
  return source === '' ? [setup] : [{ id: 'parameters', tags: ['parameters'], source }, setup];
}

/** For `%%R`. Without rpy2, the other cells still run. */
export const LOAD_R: MadeCell = {
  id: 'load-r',
  tags: [],
  source: [
    'try:',
    '    get_ipython().run_line_magic("load_ext", "rpy2.ipython")',
    'except ImportError as error:',
    '    print(f"R cells need rpy2: {error}")',
  ].join('\n'),
};

/** Includes the source, so that an import can tell whether it was changed. */
export function markOf({ id, tags, source }: MadeCell): JsonObject {
  return { ...(tags.length > 0 ? { tags } : {}), woof: { [MARK]: id, source } };
}

function parametersSource(parameters: JsonObject): string {
  const named = Object.entries(parameters).filter(([name]) => isBindable(name));
  return named.map(([name, value]) => `${name} = ${pythonValue(value)}`).join('\n');
}

function setupSource(parameters: JsonObject): string {
  const entries = Object.entries(parameters).map(
    ([name, value]) => `${pythonValue(name)}: ${isBindable(name) ? name : pythonValue(value)}`,
  );
  const names = Object.keys(parameters).filter(isBindable);
  return [
    `parameters = {${entries.join(', ')}}`,
    'woof = type("Woof", (dict,), {"parameters": parameters})()',
    ...(names.length > 0 ? [`del ${names.join(', ')}`] : []),
  ].join('\n');
}

export interface WithoutMade {
  cells: readonly Json[];
  /** With the parameters as their cell now sets them. */
  ours: Ours | undefined;
}

/** A made cell that was changed to anything but values stays, as a cell of the notebook. */
export function withoutMade(cells: readonly Json[], told: Ours | undefined): WithoutMade {
  const before = isObject(told?.header.parameters) ? told.header.parameters : {};
  let ours = told;
  const left = cells.flatMap((cell) => {
    const mark = markIn(cell);
    if (mark === undefined || !isObject(cell)) return [cell];
    const source = [cell.source].flat().join('');
    const now = mark[MARK] === 'parameters' ? readParameters(source, before) : undefined;
    if (told && now && !sameJson(now, before))
      ours = { ...told, header: { ...told.header, parameters: now } };
    return now || source === mark.source ? [] : [withoutMark(cell)];
  });
  return { cells: left, ours };
}

function markIn(cell: Json): JsonObject | undefined {
  if (!isObject(cell) || cell.cell_type !== 'code' || !isObject(cell.metadata)) return undefined;
  const { woof } = cell.metadata;
  return isObject(woof) && typeof woof[MARK] === 'string' && woof.id === undefined ? woof : undefined;
}

function withoutMark(cell: JsonObject): JsonObject {
  const { woof: _mark, ...metadata } = cell.metadata as JsonObject;
  return { ...cell, metadata };
}

/** Parameters whose names cannot be bound keep their values. */
function readParameters(source: string, before: JsonObject): JsonObject | undefined {
  const found = new Map(Object.entries(before).filter(([name]) => !isBindable(name)));
  for (const line of source.split('\n')) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const [, name = '', literal = ''] = /^(\w+) *= *(.+)$/.exec(line) ?? [];
    const json = isBindable(name) ? jsonOfLiteral(literal) : undefined;
    if (json === undefined) return undefined;
    found.set(name, decodeJson(json));
  }
  const order = new Map(Object.keys(before).map((name, index) => [name, index]));
  const place = (name: string) => order.get(name) ?? order.size;
  return Object.fromEntries([...found].toSorted(([a], [b]) => place(a) - place(b)));
}
