/** A row of an execution as databases store it and as lists read it. */
import { fromPlainJson } from '../plain-text.ts';
import type { Inputs } from './inputs.ts';
import type { Listed } from './list-filter.ts';

export interface StoredRow {
  no: number;
  row: string;
  inputs: string | null;
}

export function listed({ no, row, inputs }: StoredRow): Listed {
  return {
    no,
    row: fromPlainJson(row),
    inputs: inputs === null ? undefined : fromPlainJson<Inputs>(inputs),
  };
}
