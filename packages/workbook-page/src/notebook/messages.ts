/** What the page asks a worker that runs cells, and what it answers. One request at a time. */
import type { Json, JsonObject } from '@woof/net';

/** Values go as text: a copy between threads would not know a float from an int. */
export type JsonText = string;

export type Request =
  /** The first: what the runtime is made of, where it does not stand in the worker's own text. */
  | { do: 'hello'; payload?: Record<string, string> }
  /** Forgets all names, and gives these parameters. */
  | { do: 'reset'; parameters: JsonText }
  /** A gentle binding leaves a name alone that a cell has set. */
  | { do: 'bind'; id: string; value: JsonText; gentle: boolean }
  | { do: 'run'; cell: string; code: string }
  | { do: 'read'; name: string };

export type Answer =
  /** As text if it may hold numbers of Python. */
  { kind: 'output'; output: CellOutput | JsonText } | { kind: 'end'; error?: CellError; value?: JsonText };

export interface CellError {
  output_type: 'error';
  ename: string;
  evalue: string;
  traceback: string[];
}

/** As the sidecar has them. */
export type CellOutput =
  | { output_type: 'stream'; name: 'stdout' | 'stderr'; text: string }
  | { output_type: 'display_data' | 'execute_result'; data: Record<string, Json>; metadata?: JsonObject }
  | CellError;
