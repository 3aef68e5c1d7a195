/** The result of a run on stdout, complete if it is small. */
import { join, relative } from 'node:path';
import {
  encodeJson,
  isObject,
  isReference,
  type Json,
  type Reference,
  type State,
  storedSize,
} from '@woof/net';
import { loaded } from '@woof/stores';
import { byteCount, harmless, shorten } from './terminal.ts';
import { columnsOn, fittingRows, joined } from './text-width.ts';

export type TextOf = (reference: Reference) => Promise<string>;

const SHOWN = 4000;
/** Nobody would read even the beginning of a larger one. */
const READ_BYTES = 256 * 1024;

export async function writeResult(state: State, textOf: TextOf, quiet = false): Promise<void> {
  const { execution_id: id } = state;
  const result = state.plan.kind === 'notebook' ? lastValue(state) : (state.result ?? null);
  if (result === null) return;
  const pointTo = (what: string) => {
    const line = joined([`  ${what}:`, `woof result ${id}`], ' ', columnsOn(process.stderr));
    if (!quiet) process.stderr.write(`${line}\n`);
  };
  if (isReference(result) && storedSize(result) > READ_BYTES)
    return pointTo(`the result has ${byteCount(storedSize(result))}`);
  const value = await loaded(result, textOf);
  const text = typeof value === 'string' ? value : encodeJson(value, 2);
  const short = shorten(harmless(text.slice(0, 2 * SHOWN), 'lines'), SHOWN);
  // A user who wants only the result wants all of it.
  const shown = quiet ? short : fittingRows(short, columnsOn(process.stdout), rowsForResult());
  process.stdout.write(`${shown}\n`);
  if (text.length > SHOWN || shown !== short) pointTo('the full result');
}

/** What a stage workflow leaves for people: the folder of each bundle, in the order of its stages. */
export function bundleLines({ plan, steps }: State, folder: string): string[] {
  return plan.steps.flatMap(({ name }) => {
    const result = steps.get(name)?.result;
    if (!isObject(result) || typeof result.bundle !== 'string') return [];
    return [`bundle  ${harmless(relative(process.cwd(), join(folder, result.bundle)))}`];
  });
}

/** The status of the steps is above it, on the same screen. */
function rowsForResult(): number {
  return Math.max(5, Math.floor((process.stdout.rows || 24) / 2));
}

/** The value of the last cell that has one. */
function lastValue({ plan, steps }: State): Json {
  const names = plan.steps.map(({ name }) => name).toReversed();
  const found = names
    .map((name) => steps.get(name))
    .find((step) => step?.status === 'succeeded' && step.result != null);
  const value = found?.result ?? null;
  const isFigure = isObject(value) && typeof value.file === 'string' && Object.keys(value).length === 1;
  return isFigure ? `figure → ${value.file}` : value;
}
