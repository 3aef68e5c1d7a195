import type { CellType, Diagnostic } from '@woof/net';
import type { Cell } from './cell.ts';
import type { Notebook } from './notebook.ts';

/** The contract of a row in `cell-forms.ts`. */
export interface CellForm {
  /** The type of the cell in Jupyter's files. */
  jupyter: 'code' | 'markdown' | 'raw';
  /** Before the tokens of the cell in a percent script. */
  label?: string;
  /** The words after `%%` that begin such a cell in a Jupyter notebook of Python, the usual one first. */
  magics?: readonly string[];
  lint?(notebook: Notebook, cell: Cell): Diagnostic[];
  /** In a Jupyter notebook of Python; absent: the body as it is. */
  python?: PythonForm;
}

/** A body as Python that does the same, and back. */
export interface PythonForm {
  write(id: string, body: string): string;
  /** What was changed in Jupyter may be a cell of another type now. */
  read(code: string, id: string): { type: CellType; body: string };
}
