/**
 * Jupyter metadata that records how a notebook was last shown or run. It is not part of the source: an import puts it
 * in the sidecar's line of the notebook, which runs leave alone, and an export puts it back.
 */
import { isObject, type Json, type JsonObject } from '@woof/net';
import type { SidecarEntry } from '../sidecar.ts';

/** About one run of a cell: obsolete as soon as the cell runs again. */
const TIMINGS = ['ExecuteTime', 'execution', 'executionInfo', 'papermill'];
const VIEWS = ['autoscroll', 'collapsed', 'heading_collapsed', 'hidden', 'outputId', 'scrolled', 'trusted'];

export const CELL_KEYS: readonly string[] = [...TIMINGS, ...VIEWS];
export const FILE_KEYS: readonly string[] = ['papermill', 'signature', 'widgets'];
/** Jupyter rewrites these whenever it runs a notebook. */
export const KERNEL_KEYS: readonly string[] = ['kernelspec', 'language_info'];

export interface Transient {
  /** Of the file. */
  metadata?: JsonObject;
  /** By cell. */
  cells?: JsonObject;
}

/** Splits the metadata into its transient part and the rest. */
export function splitTransient(
  metadata: JsonObject,
  keys: readonly string[],
): { transient: JsonObject; rest: JsonObject } {
  const entries = Object.entries(metadata);
  return {
    transient: Object.fromEntries(entries.filter(([key]) => keys.includes(key))),
    rest: Object.fromEntries(entries.filter(([key]) => !keys.includes(key))),
  };
}

export function transientOfFile(notebookLine: SidecarEntry | undefined): JsonObject {
  return objectAt(notebookLine?.transient, 'metadata');
}

export function transientOfCell(
  id: string,
  notebookLine: SidecarEntry | undefined,
  entry: SidecarEntry | undefined,
): JsonObject {
  const found = objectAt(objectAt(notebookLine?.transient, 'cells'), id);
  const hasRun = entry !== undefined && entry.timestamp !== notebookLine?.timestamp;
  return hasRun ? splitTransient(found, TIMINGS).rest : found;
}

function objectAt(value: Json | undefined, key: string): JsonObject {
  const found = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

/** Restores what was taken out; Jupyter sorts the keys of its files. */
export function withTransient(metadata: JsonObject, transient: JsonObject): JsonObject {
  if (Object.keys(transient).length === 0) return metadata;
  const all = Object.entries({ ...transient, ...metadata });
  return Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
