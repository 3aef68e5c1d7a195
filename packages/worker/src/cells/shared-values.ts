/**
 * What cells in one language give to cells in another: variables, as JSON and tables.
 *
 * A cell that depends on a cell in another kernel, and names its id, receives an object under that id, as if it were a
 * data cell: the variables that both texts mention, if they are JSON or tables. Nothing is read that nobody names, so a
 * notebook in one language pays nothing.
 * The values are read right after the giving cell has run, so that changes by later cells do not show in them.
 */
import type { Kernel, Tables } from '@woof/kernels';
import { type CellTask, commonNames, encodeJson, type JsonObject } from '@woof/net';

export interface SharedValues {
  /** All names that were asked for, including those without a value. */
  names: string[];
  values: JsonObject;
  tables: Tables;
  /** Why the values are not available. */
  problem?: string;
}

const MAX_BYTES = 16 * 1024 * 1024;

/** The part that one cell asks for: it must not see what others ask for. */
export function partFor(cell: CellTask, giver: CellTask, shared: SharedValues): SharedValues {
  const names = new Set(commonNames(cell, giver));
  const pick = <Value>(all: Record<string, Value>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));
  return { ...shared, values: pick(shared.values), tables: pick(shared.tables) };
}

/** Reads the values from the kernel in which the cell has run. */
export async function takeValues(kernel: Kernel, giver: string, names: string[]): Promise<SharedValues> {
  const taken: SharedValues = { names, values: {}, tables: {} };
  let bytes = 0;
  for (const name of names) {
    const found = await kernel.share(name);
    if (found === undefined) continue;
    bytes += Buffer.byteLength(encodeJson(found));
    if (bytes > MAX_BYTES) return { names, values: {}, tables: {}, problem: tooLarge(giver, name) };
    if ('table' in found) taken.tables[name] = found.table;
    else taken.values[name] = found.value;
  }
  return taken;
}

function tooLarge(giver: string, name: string): string {
  return (
    `with "${name}", cell "${giver}" would pass more than ${MAX_BYTES / 1024 ** 2} MiB to another language: pass a part ` +
    'or a summary, or write a file in one cell and read it in the other (sidefx=fs)'
  );
}
