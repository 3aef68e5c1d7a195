/**
 * Cells that share a kernel and have different memory limits: what one leaves there counts against the limit of the
 * other.
 */
import type { Diagnostic } from '@woof/net';
import type { Cell } from './cell.ts';
import { notebookProblems as problems } from './diagnostics.ts';
import { fenceSpan, valueSpan } from './lint-cells.ts';
import type { Notebook } from './notebook.ts';
import { memoryOf, sessionOf, sharesKernel } from './sessions.ts';

export function lintMemory(notebook: Notebook): Diagnostic[] {
  if (!notebook.cells.some((cell) => cell.token('memory_mb'))) return [];
  const first = new Map<string, Cell>();
  return notebook.cells.filter(runsShared).flatMap((cell) => {
    const session = sessionOf(notebook, cell);
    const other = first.get(session) ?? cell;
    first.set(session, other);
    const [own, others] = [memoryOf(notebook, cell), memoryOf(notebook, other)];
    if (own === others) return [];
    const token = cell.token('memory_mb');
    const at = token ? valueSpan(notebook, cell, token) : fenceSpan(notebook, cell);
    return [problems.memoryDiffers(at, { id: cell.id, mb: own }, { id: other.id, mb: others })];
  });
}

const runsShared = (cell: Cell) => sharesKernel(cell) && cell.get('disabled') !== 'true';
