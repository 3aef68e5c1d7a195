/** Why a cell would run again, or that it would not, in the words of `woof why`. */
import type { CellTask, JsonObject, Plan } from '@woof/net';
import { type CellCache, hasEffects, type KeyParts, keyOf } from './cell-cache.ts';
import { type CellKeys, RunTraces } from './cell-keys.ts';
import type { Left } from './seen-cells.ts';

/** Of a run that there might be. */
export interface Circumstances {
  source: JsonObject;
  granted: JsonObject;
  parameters: JsonObject;
}

interface Known {
  cache: CellCache;
  keys: CellKeys;
}

export async function explainCell(
  cell: CellTask,
  run: Circumstances & { plan: Plan },
  { cache, keys }: Known,
): Promise<string> {
  if (cell.type === 'data') return 'it is data: it is bound, not run';
  if (!cell.cache) return 'it always runs: the header does not say execution.cache: content-hash';
  if (hasEffects(cell)) return 'it always runs: it declares effects, which no key can hold';
  const parts = await imaginedParts(cell, run, keys, undefined);
  if (parts === undefined) return 'it depends on what cells with effects leave, which only a run can tell';
  if (cache.get(keyOf(parts))) return 'it would come from the cache: nothing that it depends on has changed';
  const hopeful = await imaginedParts(cell, run, keys, []);
  if (hopeful && cache.get(keyOf(hopeful)))
    return 'it would come from the cache, unless it sees what earlier cells that would run leave: only a run can tell';
  const before = await cache.lastParts(String(run.source.file), cell.id);
  if (before === undefined) return 'it would run: it has not run well before';
  const changed = Object.keys(parts).filter((part) => parts[part] !== before[part]);
  return changed.length === 0
    ? 'it would run: its entry is gone from the cache'
    : `it would run: changed since it last ran well: ${changed.join(', ')}`;
}

/** Of a run in which every cell ends well. `unknown`: what is taken for granted of cells that would run. */
function imaginedParts(
  cell: CellTask,
  { plan, granted, parameters }: Circumstances & { plan: Plan },
  keys: CellKeys,
  unknown: Left,
): Promise<KeyParts | undefined> {
  const idle = new Set(plan.steps.filter((step) => step.idle !== undefined).map(({ name }) => name));
  const traces = new RunTraces();
  const ranWell = (id: string) => !idle.has(id);
  return keys.partsOf(cell, { plan, granted, parameters, traces, unknown, ranWell, remains: () => [] });
}
