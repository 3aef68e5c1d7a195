/** The language of a notebook and of its cells. */
import { canonicalLanguage, DEFAULT_LANGUAGE, traitsOf } from '@woof/net';
import type { Cell } from './cell.ts';
import type { Notebook } from './notebook.ts';

export function notebookLanguage({ header }: Pick<Notebook, 'header'>): string {
  return canonicalLanguage(header.language ?? DEFAULT_LANGUAGE);
}

export function languageOf(notebook: Notebook, cell: Cell): string {
  const chosen = cell.get('lang');
  return (
    traitsOf(cell).language ?? (chosen === undefined ? notebookLanguage(notebook) : canonicalLanguage(chosen))
  );
}

/** Bash cells and charts have programs of their own. */
export function kernelOf(cell: Cell): string | undefined {
  return traitsOf(cell).choosesLanguage ? cell.get('kernel') : undefined;
}

/** Whether Woof's own kernel runs the cell, in a language that the cell or the header chooses. */
export function isOwnCode(cell: Cell): boolean {
  return traitsOf(cell).choosesLanguage && !cell.token('kernel');
}
