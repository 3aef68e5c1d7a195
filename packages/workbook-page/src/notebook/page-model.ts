/** What a built page knows about its notebook: the cells as in the plan, and which of them run in the page. */
import type { CellTask, Json, JsonObject } from '@woof/net';
import type { PackedCell } from './packed-cells.ts';

export interface PageModel {
  /** In the order in which they run. A page without live cells has only those with charts. */
  cells: PackedCell[];
  parameters: JsonObject;
  /** For each cell whose outputs contain charts: Vega specifications, in the order of the outputs. */
  charts: Record<string, ChartModel[]>;
}

export interface PageCell extends Pick<CellTask, 'id' | 'type' | 'language' | 'session' | 'body' | 'needs'> {
  value?: Json;
  timeoutSec?: number;
  /** Why it does not run in the page; absent if it does. */
  stored?: string;
}

export interface ChartModel {
  spec: JsonObject;
  /** Sources that get their rows from the notebook when the cell runs. */
  wanted: string[];
  /** Whether the specification contains the rows; if not, only the picture shows them. */
  isFilled: boolean;
}

export type ControlKind = 'number' | 'range' | 'checkbox' | 'select' | 'text' | 'json';

/** How a parameter is shown. */
export interface Control {
  name: string;
  label: string;
  kind: ControlKind;
  value: Json;
  min?: number;
  max?: number;
  step?: number;
  options?: Json[];
}

/** Ids of elements that builder and page agree on. */
export const PLACES = {
  model: 'woof-model',
  outputs: (cell: string) => `out-${cell}`,
  cell: (cell: string) => `cell-${cell}`,
  parameters: 'parameters',
  status: 'live-status',
  payload: (name: string) => `woof-${name}`,
};

/** Names of the payloads at the end of a page. */
export const PYTHON_PARTS = ['wasm', 'runtime', 'loader', 'library', 'lock', 'driver'] as const;
