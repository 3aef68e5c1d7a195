/** The workload values by which a run can be found: top-level scalars, as text, limited in number and length. */
import { encodeJson, Float, type JsonObject } from '@woof/net';

export const MOST_INPUTS = 32;
export const LONGEST_INPUT_KEY = 100;
export const LONGEST_INPUT = 200;

export type Inputs = Record<string, string>;

/** Undefined: the workload has none. Keys beyond the first 32, and anything longer than the limits, are left out. */
export function inputsOf(workload: JsonObject): Inputs | undefined {
  const inputs: [string, string][] = [];
  for (const key of Object.keys(workload)) {
    if (inputs.length === MOST_INPUTS) break;
    const text = key.length <= LONGEST_INPUT_KEY ? scalarText(workload[key]) : undefined;
    if (text !== undefined && text.length <= LONGEST_INPUT) inputs.push([key, text]);
  }
  // A key may be called __proto__.
  return inputs.length === 0 ? undefined : Object.fromEntries(inputs);
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const isScalar = value === null || typeof value !== 'object' || value instanceof Float;
  return isScalar && value !== undefined ? encodeJson(value) : undefined;
}
