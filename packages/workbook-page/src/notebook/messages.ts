/** The requests of the page to a worker that runs cells, and its answers. One request at a time. */
import type { Json, JsonObject } from '@woof/net';

/** Values are sent as text: copying between threads would not distinguish a float from an int. */
export type JsonText = string;

export type Request =
  /** The first request: the parts of the runtime that are not in the worker's own source. */
  | { do: 'hello'; payload?: Record<string, string> }
  /** Forgets all names, and sets these parameters. */
  | { do: 'reset'; parameters: JsonText }
  /** A gentle binding does not overwrite a name that a cell has set. */
  | { do: 'bind'; id: string; value: JsonText; gentle: boolean }
  | { do: 'run'; cell: string; code: string }
  | { do: 'read'; name: string };

export type Answer =
  /** As text if it may contain Python numbers. */
  { kind: 'output'; output: CellOutput | JsonText } | { kind: 'end'; error?: CellError; value?: JsonText };

export interface CellError {
  output_type: 'error';
  ename: string;
  evalue: string;
  traceback: string[];
}

/** In the form that the sidecar uses. */
export type CellOutput =
  | { output_type: 'stream'; name: 'stdout' | 'stderr'; text: string }
  | { output_type: 'display_data' | 'execute_result'; data: Record<string, Json>; metadata?: JsonObject }
  | CellError;
