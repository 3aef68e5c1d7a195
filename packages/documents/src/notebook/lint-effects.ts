/**
 * What cells declare (`sidefx`) against what the header allows (`io_policy`). Both must agree; `type=bash` declares
 * shell, and shell implies files.
 */
import { type Diagnostic, traitsOf } from '@woof/net';
import { type Cell, splitList } from './cell.ts';
import { isOwnCode, languageOf } from './cell-language.ts';
import { notebookProblems as problems } from './diagnostics.ts';
import type { IoPolicy } from './header.ts';
import { syntaxOf } from './languages.ts';
import { fenceSpan, valueSpan } from './lint-cells.ts';
import type { Notebook } from './notebook.ts';
import { EFFECTS } from './vocabulary.ts';

const PERMISSIONS = { fs: 'allow_files', net: 'allow_network', shell: 'allow_shell' } as const;
type Needed = keyof typeof PERMISSIONS;

export interface CellEffects {
  fs: boolean;
  net: boolean;
  shell: boolean;
  isolated: boolean;
}

/** Everything that a cell declares, including what it implies. */
export function effectsOf(cell: Cell): CellEffects {
  const words = [...splitList(cell.get('sidefx')), ...traitsOf(cell).effects];
  const shell = words.includes('shell');
  return {
    fs: shell || words.includes('fs'),
    net: words.includes('net'),
    shell,
    isolated: words.includes('isolated'),
  };
}

export function lintEffects(notebook: Notebook): Diagnostic[] {
  const policy = notebook.header.ioPolicy;
  // If the header cannot be read, what it allows is unknown.
  const readable = notebook.header.diagnostics(notebook.source).length === 0;
  return notebook.cells.flatMap((cell) => [
    ...lintWords(notebook, cell),
    ...(cell.get('disabled') === 'true' || !readable ? [] : lintPolicy(notebook, cell, policy)),
  ]);
}

function lintWords(notebook: Notebook, cell: Cell): Diagnostic[] {
  const token = cell.token('sidefx');
  if (!token) return [];
  const at = valueSpan(notebook, cell, token);
  const words = splitList(token.value);
  const unknown = words.filter((word) => !EFFECTS.some((effect) => effect === word));
  if (words.length === 0) return [problems.unknownEffect(at, '', EFFECTS)];
  const conflict = words.includes('none') && words.some((word) => word !== 'none');
  return [
    ...unknown.map((word) => problems.unknownEffect(at, word, EFFECTS)),
    ...(conflict ? [problems.effectConflict(at)] : []),
  ];
}

function lintPolicy(notebook: Notebook, cell: Cell, policy: IoPolicy): Diagnostic[] {
  const token = cell.token('sidefx');
  const declared = cell.token('sidefx') ? splitList(cell.get('sidefx')) : [];
  const effects = effectsOf(cell);
  const at = () => {
    const place = token ?? cell.token('type');
    return place ? valueSpan(notebook, cell, place) : fenceSpan(notebook, cell);
  };
  const needed: Needed[] = [
    ...(declared.includes('fs') ? ['fs' as const] : []),
    ...(effects.net ? ['net' as const] : []),
    ...(effects.shell ? ['shell' as const] : []),
  ];
  const refused = needed.filter((effect) => !policy[PERMISSIONS[effect]]);
  if (refused.length > 0) {
    return refused.map((effect) =>
      problems.policyConflict(at(), cell.id, effect, PERMISSIONS[effect], !declared.includes(effect)),
    );
  }
  if (!effects.shell && needsShell(notebook, cell)) {
    const place = token ?? cell.token('lang') ?? cell.token('type')!;
    return [problems.undeclaredShell(valueSpan(notebook, cell, place), cell.id)];
  }
  const implied = effects.shell && !declared.includes('fs') && !policy.allow_files;
  return implied ? [problems.impliedFiles(at(), cell.id)] : [];
}

/**
 * The language can do nothing without starting programs, and Woof's own kernel refuses such a cell unless it declares
 * that.
 */
function needsShell(notebook: Notebook, cell: Cell): boolean {
  return isOwnCode(cell) && syntaxOf(languageOf(notebook, cell)).needsShell === true;
}
