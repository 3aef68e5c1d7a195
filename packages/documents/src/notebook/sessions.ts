/** Which kernel a cell runs in, and which cells share it. */
import { canonicalLanguage } from '@woof/net';
import type { Cell } from './cell.ts';
import { effectsOf } from './lint-effects.ts';
import type { Notebook } from './notebook.ts';

/** Whether what it leaves stays for other cells. */
export const sharesKernel = (cell: Cell) =>
  !effectsOf(cell).isolated && cell.type !== 'data' && cell.type !== 'viz';

/** 0: no limit. */
export function memoryOf({ header }: Notebook, cell: Cell): number {
  return Number(cell.get('memory_mb') ?? header.defaults.memory_mb ?? 0) || 0;
}

export function languageOf(notebook: Notebook, cell: Cell): string {
  if (cell.type === 'bash') return 'bash';
  if (cell.type === 'viz') return 'vega';
  return canonicalLanguage(cell.get('lang') ?? notebook.header.language ?? 'python');
}

/** Bash cells and charts have programs of their own. */
export function kernelOf(cell: Cell): string | undefined {
  return cell.type === 'code' || cell.type === 'test' ? cell.get('kernel') : undefined;
}

export function sessionOf(notebook: Notebook, cell: Cell): string {
  if (cell.type === 'data') return 'data';
  const kernel = kernelOf(cell);
  return kernel === undefined ? languageOf(notebook, cell) : `kernel ${kernel}`;
}
