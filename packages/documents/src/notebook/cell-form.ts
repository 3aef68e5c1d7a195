import type { CellType, Diagnostic, Json } from '@woof/net';
import type { Cell } from './cell.ts';
import type { Notebook } from './notebook.ts';

/** The contract of a row in `cell-forms.ts`. */
export interface CellForm {
  /** The type of the cell in Jupyter files. */
  jupyter: 'code' | 'markdown' | 'raw';
  /** Precedes the tokens of the cell in a percent script. */
  label?: string;
  /** The words after `%%` that begin such a cell in a Python Jupyter notebook, the most common first. */
  magics?: readonly string[];
  lint?(notebook: Notebook, cell: Cell): Diagnostic[];
  /** The value of a cell that is bound (`isValue`); undefined if the body is invalid. */
  value?(body: string): Json | undefined;
  /** Whether the body is its value as JSON. Only then does a script bind it, and can readers of a page change it. */
  isJson?(body: string): boolean;
  /** The form in a Python Jupyter notebook; absent: the body as it is. */
  python?: PythonForm;
}

/** Converts a body to Python that does the same, and back. */
export interface PythonForm {
  write(id: string, body: string): string;
  /** After changes in Jupyter it may be a cell of another type. */
  read(code: string, id: string): { type: CellType; body: string };
}
