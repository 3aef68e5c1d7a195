/** Everything that is wrong with a notebook, in the order of its text. */
import type { Diagnostic } from '@woof/net';
import { lintBodies } from './lint-bodies.ts';
import { lintCells } from './lint-cells.ts';
import { lintDeps } from './lint-deps.ts';
import { lintEffects } from './lint-effects.ts';
import { lintForeignNames } from './lint-foreign-names.ts';
import { lintHeader } from './lint-header.ts';
import { lintMemory } from './lint-memory.ts';
import { lintNames } from './lint-names.ts';
import { lintStructure } from './lint-structure.ts';
import type { Notebook } from './notebook.ts';
import { schedulesOfNotebook } from './schedules.ts';

export function lintNotebook(notebook: Notebook): Diagnostic[] {
  const found = [
    ...lintStructure(notebook),
    ...lintHeader(notebook),
    ...schedulesOfNotebook(notebook).diagnostics,
    ...lintCells(notebook),
    ...lintEffects(notebook),
    ...lintMemory(notebook),
    ...lintDeps(notebook),
    ...lintBodies(notebook),
    ...lintNames(notebook),
    ...lintForeignNames(notebook),
  ];
  return found.sort((a, b) => a.line - b.line || a.column - b.column);
}
