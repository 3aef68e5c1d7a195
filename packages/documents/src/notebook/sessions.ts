/** Which kernel a cell runs in, and which cells share it. */
import { traitsOf } from '@woof/net';
import type { Cell } from './cell.ts';
import { kernelOf, languageOf } from './cell-language.ts';
import { effectsOf } from './lint-effects.ts';
import type { Notebook } from './notebook.ts';

/** Whether other cells can use the state that it leaves. */
export const sharesKernel = (cell: Cell) => !effectsOf(cell).isolated && traitsOf(cell).isCode;

/** 0: no limit. */
export function memoryOf({ header }: Notebook, cell: Cell): number {
  return Number(cell.get('memory_mb') ?? header.defaults.memory_mb ?? 0) || 0;
}

export function sessionOf(notebook: Notebook, cell: Cell): string {
  const kernel = kernelOf(cell);
  const named = kernel === undefined ? languageOf(notebook, cell) : `kernel ${kernel}`;
  return traitsOf(cell).session ?? named;
}
