/** Explains in the words of `woof why` whether and why a cell would run again. */
import { type CellTask, type JsonObject, type Plan, traitsOf } from '@woof/net';
import { type CellCache, type CellKeyParts, hasEffects, keyOf } from './cell-cache.ts';
import { type CellKeys, type KeyContext, RunTraces } from './cell-keys.ts';
import type { Left } from './seen-cells.ts';

/** The circumstances of a hypothetical run. */
export interface Circumstances {
  source: JsonObject;
  granted: JsonObject;
  parameters: JsonObject;
}

interface Known {
  cache: CellCache;
  keys: CellKeys;
}

/** Explains the cells of one run, and reuses what it works out for one cell for the next. */
export function explainerOf(
  run: Circumstances & { plan: Plan },
  known: Known,
): (cell: CellTask) => Promise<string> {
  const careful = imagined(run, undefined);
  const hopeful = imagined(run, []);
  const imaginedRun = { careful, hopeful, file: String(run.source.file) };
  // The cell's interpreter cannot be found.
  return (cell) =>
    explain(cell, imaginedRun, known).catch((error: Error) => `it would fail: ${error.message}`);
}

interface Imagined {
  /** Assumes that cells that would run may leave anything. */
  careful: KeyContext;
  /** Assumes that they leave nothing. */
  hopeful: KeyContext;
  file: string;
}

async function explain(
  cell: CellTask,
  { careful, hopeful, file }: Imagined,
  { cache, keys }: Known,
): Promise<string> {
  if (traitsOf(cell).isValue) return `it is a ${cell.type} cell, which is bound but never runs`;
  if (!cell.cache) return 'it always runs: the header does not set execution.cache: content-hash';
  if (hasEffects(cell)) return 'it always runs: it declares effects, which the cache cannot account for';
  const parts = await keys.partsOf(cell, careful);
  if (parts === undefined)
    return 'it depends on what cells with effects leave behind, which only a run can show';
  if (cache.get(keyOf(parts))) return 'it would come from the cache: nothing that it depends on has changed';
  const fewer = await keys.partsOf(cell, hopeful);
  if (fewer && cache.get(keyOf(fewer)))
    return 'it would come from the cache, unless it sees what earlier cells that would run leave behind, which only a run can show';
  const before = await cache.lastParts(file, cell.id);
  if (before === undefined) return 'it would run: it has not succeeded before';
  const changed = (Object.keys(parts) as Part[]).filter((part) => parts[part] !== before[part]);
  return changed.length === 0
    ? 'it would run: its cache entry was removed'
    : `it would run: ${changed.map(inWords).join(' and ')} changed since it last succeeded`;
}

type Part = keyof CellKeyParts;

const PARTS: Readonly<Record<Part, string>> = {
  body: 'its text',
  deps: 'a cell that it depends on',
  earlier: 'an earlier cell that it may see',
  env: 'the env of the header',
  parameters: 'a parameter',
  permissions: 'what it may do',
  runtime: 'the interpreter or Woof',
};

const inWords = (part: Part): string => `${PARTS[part]} (${part})`;

/** The context of a run in which every cell succeeds. */
function imagined({ plan, granted, parameters }: Circumstances & { plan: Plan }, unknown: Left): KeyContext {
  const idle = new Set(plan.steps.filter((step) => step.idle !== undefined).map(({ name }) => name));
  const traces = new RunTraces();
  const ranWell = (id: string) => !idle.has(id);
  return { plan, granted, parameters, traces, unknown, ranWell, remains: () => [] };
}
