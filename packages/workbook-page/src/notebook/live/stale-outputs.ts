/**
 * Which stored outputs no longer match what the reader of a page changed, and why. Pure.
 *
 * Cells that run in the page follow a change. The others keep the outputs that they had when the page was built.
 */
import { asks, type CellTask, encodeJson, type Json, type JsonObject, traitsOf } from '@woof/net';
import type { PageCell } from '../page-model.ts';
import { readersOf } from './affected-cells.ts';

/** What a reader can change: the parameters, and the content of cells. */
export interface Inputs {
  cells: readonly PageCell[];
  parameters: JsonObject;
}

/** A copy of the current inputs. */
export function copyInputs({ cells, parameters }: Inputs): Inputs {
  return {
    cells: cells.map(({ needs: _, ...cell }) => ({ ...cell, needs: [] })),
    parameters: { ...parameters },
  };
}

/** For each cell that does not run in the page, the change that its output does not reflect. */
export function staleOutputs(before: Inputs, now: Inputs): Map<string, string> {
  const changes = changesBetween(before, now);
  const stale = new Map<string, string>();
  if (changes.size === 0) return stale;
  const cells = new Map(now.cells.map((cell) => [cell.id, cell]));
  for (const cell of now.cells) {
    const source = cell.needs.find((id) => changes.has(id) && reaches(cells.get(id)!, cell));
    const change = changes.get(cell.id) ?? (source === undefined ? undefined : changes.get(source)!);
    if (change === undefined) continue;
    changes.set(cell.id, change);
    if (cell.stored !== undefined) stale.set(cell.id, change);
  }
  return stale;
}

/** For each cell that a change reaches directly, what changed. */
function changesBetween(before: Inputs, now: Inputs): Map<string, string> {
  const changes = new Map<string, string>();
  for (const [at, cell] of now.cells.entries())
    if (contentOf(cell) !== contentOf(before.cells[at]!)) changes.set(cell.id, cell.id);
  for (const [name, value] of Object.entries(now.parameters)) {
    const [old, text] = [textOf(before.parameters[name]!), textOf(value)];
    if (old === text) continue;
    for (const id of readersOf(now.cells, name)) changes.set(id, `${name} from ${old} to ${text}`);
  }
  return changes;
}

/** Text that is not yet valid JSON has not changed the value of a data cell. */
const contentOf = (cell: PageCell) => (traitsOf(cell).isValue ? encodeJson(cell.value ?? null) : cell.body);

/** Whether a cell that needs another uses anything from it: in a linear notebook it needs all cells before it. */
function reaches(source: PageCell, cell: PageCell): boolean {
  if (traitsOf(source).isValue || traitsOf(cell).isChart || source.session === cell.session) return true;
  return asks(cell as unknown as CellTask, source as unknown as CellTask);
}

const MAX_TEXT = 60;

function textOf(value: Json): string {
  const text = encodeJson(value);
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}
