/** What is wrong with bodies that are not code, according to the forms of their types. */
import type { Diagnostic } from '@woof/net';
import { formOf } from './cell-forms.ts';
import type { Notebook } from './notebook.ts';

export function lintBodies(notebook: Notebook): Diagnostic[] {
  return notebook.cells.flatMap((cell) => formOf(cell).lint?.(notebook, cell) ?? []);
}
